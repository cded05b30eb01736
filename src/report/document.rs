//! What is said, apart from how it looks: documents, which [`render`](super::render) turns into text.

use super::plot::Chart;

/// A document for people.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Its title; empty where its first sentence or table says enough.
    pub title: String,
    /// Sentences below the title.
    pub about: Vec<String>,
    /// Its sections.
    pub sections: Vec<Section>,
    /// Its last line, if any.
    pub footer: String,
    /// Whether it stands as a comment among those of others, in Markdown with headings a level deeper.
    pub is_comment: bool,
    /// The command that shows it whole: in Markdown tables are then cut to what a comment has room for.
    pub whole: Option<&'static str>,
    /// The pages of the service that it is one of, by name and path; none of a file.
    pub site: &'static [(&'static str, &'static str)],
}

impl Document {
    /// Its pictures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| if let Block::Figure(figure) = block { Some(&**figure) } else { None })
    }
}

/// Blocks under a heading.
#[derive(Debug, Clone)]
pub struct Section {
    /// What links to it end with, in kebab case.
    pub id: &'static str,
    /// The heading, which may be empty.
    pub heading: Text,
    /// What it holds.
    pub blocks: Vec<Block>,
    /// Whether Markdown folds it away, together with its neighbours that are.
    pub is_folded: bool,
}

impl Section {
    /// A section with a heading.
    #[must_use]
    pub fn new(id: &'static str, heading: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { id, heading: Text::toned(heading, Tone::Strong), blocks, is_folded: false }
    }

    /// The same with plain words after the heading.
    #[must_use]
    pub fn then(mut self, words: &str) -> Self {
        self.heading.0.push(Span { words: words.to_owned(), tone: Tone::Plain, to: None });
        self
    }

    /// Blocks without a heading.
    #[must_use]
    pub fn unheaded(id: &'static str, blocks: Vec<Block>) -> Self {
        Self { id, heading: Text::default(), blocks, is_folded: false }
    }

    /// The same folded away in Markdown.
    #[must_use]
    pub fn folded(self) -> Self {
        Self { is_folded: true, ..self }
    }
}

/// A part of a section.
#[derive(Debug, Clone)]
pub enum Block {
    /// The one sentence to remember.
    Lead(Text),
    /// A paragraph.
    Text(Text),
    /// A paragraph that must not be overlooked.
    Warning(Text),
    /// A list.
    List(Vec<Text>),
    /// Sentences that each stand for themselves, below a table.
    Notes(Vec<Text>),
    /// A command.
    Code(String),
    /// Lines that are laid out already, in characters of one width.
    Lines(Vec<String>),
    /// Names with what is known of them.
    Facts(Facts),
    /// A table.
    Table(Table),
    /// A picture.
    Figure(Box<Figure>),
    /// Files that a reader can take. Only a page has them.
    Downloads(Vec<Download>),
    /// A file that a reader can send. Only a page of a service has it.
    Upload(Upload),
}

impl Block {
    /// A list or notes, none without an item.
    pub(super) fn some(kind: fn(Vec<Text>) -> Self, items: impl IntoIterator<Item = String>) -> Option<Self> {
        let items: Vec<Text> = items.into_iter().map(Text::from).collect();
        (!items.is_empty()).then(|| kind(items))
    }
}

/// Words in one line, some of them emphasised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Span>);

/// Words of one tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The words, as they come from whoever wrote them.
    pub words: String,
    /// How they are said.
    pub tone: Tone,
    /// Where they lead, on a page of a service.
    pub to: Option<String>,
}

/// How words are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As all others.
    Plain,
    /// Emphasised.
    Strong,
    /// Something to type.
    Code,
    /// Something to bear in mind.
    Caution,
    /// Something that is wrong.
    Alarm,
}

impl Text {
    /// Words of one tone.
    #[must_use]
    pub fn toned(words: impl Into<String>, tone: Tone) -> Self {
        Self(vec![Span { words: words.into(), tone, to: None }])
    }

    /// Words that lead somewhere, on a page of a service.
    #[must_use]
    pub fn leading(words: impl Into<String>, to: impl Into<String>) -> Self {
        Self(vec![Span { words: words.into(), tone: Tone::Plain, to: Some(to.into()) }])
    }

    /// The words alone.
    #[must_use]
    pub fn plain(&self) -> String {
        self.0.iter().map(|span| span.words.as_str()).collect()
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.words.is_empty())
    }
}

impl<S: Into<String>> From<S> for Text {
    fn from(words: S) -> Self {
        Self::toned(words, Tone::Plain)
    }
}

/// A file that a reader can take.
#[derive(Debug, Clone)]
pub struct Download {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub what: &'static str,
    /// Where it is: its name, beside the page, or itself as a `data:` address.
    pub to: String,
}

/// A file that a reader can send.
#[derive(Debug, Clone, Copy)]
pub struct Upload {
    /// The path that it is sent to.
    pub to: &'static str,
    /// What file.
    pub label: &'static str,
    /// The endings of its name, as browsers take them.
    pub accept: &'static str,
    /// What sends it.
    pub button: &'static str,
}

/// Names with values.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// What they are of: the caption of a page.
    pub title: String,
    /// The names with their values.
    pub rows: Vec<(String, String)>,
}

impl Facts {
    /// Names with values.
    #[must_use]
    pub fn new<N: Into<String>, V: Into<String>>(title: &str, rows: impl IntoIterator<Item = (N, V)>) -> Self {
        let rows = rows.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { title: title.into(), rows }
    }
}

/// Rows of cells under headings. Figures carry their units in the cells or in the heading.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// What it shows, unless the heading of its section says it.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The cells. The last cell of a row that is too short stands over all columns that remain.
    pub rows: Vec<Vec<Text>>,
}

/// A column of a table.
#[derive(Debug, Clone, Default)]
pub struct Column {
    /// Its heading.
    pub heading: String,
    /// Where its cells stand.
    pub align: Align,
    /// The fewest characters that it is wide, for tables of which no more than a row is ever known.
    pub width: usize,
    /// Whether it is left out where lines have no room for it.
    pub is_optional: bool,
}

/// Where the cells of a column stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Align {
    /// Names and words.
    #[default]
    Left,
    /// Figures.
    Right,
}

impl Column {
    /// A column of words, at least so wide.
    #[must_use]
    pub fn left(heading: impl Into<String>, width: usize) -> Self {
        Self { heading: heading.into(), align: Align::Left, width, is_optional: false }
    }

    /// A column of figures, at least so wide.
    #[must_use]
    pub fn right(heading: impl Into<String>, width: usize) -> Self {
        Self { align: Align::Right, ..Self::left(heading, width) }
    }
}

impl Table {
    /// A table of figures, with names in the first column.
    #[must_use]
    pub fn of_figures<S: Into<String>, R: IntoIterator<Item: Into<Text>>>(
        headings: impl IntoIterator<Item = S>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut table = Self::of_words(headings, rows);
        table.columns.iter_mut().skip(1).for_each(|column| column.align = Align::Right);
        table
    }

    /// A table of words.
    #[must_use]
    pub fn of_words<S: Into<String>, R: IntoIterator<Item: Into<Text>>>(
        headings: impl IntoIterator<Item = S>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let columns = headings.into_iter().map(|heading| Column::left(heading, 0)).collect();
        let rows = rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect();
        Self { title: String::new(), columns, rows }
    }

    /// The same under a title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// As a block, unless it has no row.
    pub(super) fn block(self) -> Option<Block> {
        (!self.rows.is_empty()).then_some(Block::Table(self))
    }
}

/// A chart with what to say of it.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The chart, which says what it shows to whom does not see it.
    pub chart: Chart,
    /// How to read it.
    pub caption: String,
}

impl Figure {
    pub(super) fn block(self) -> Block {
        Block::Figure(Box::new(self))
    }
}
