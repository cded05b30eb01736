use super::document::{Block, Section, Table};

/// A table under a heading with sentences below it, for documents of any kind.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    pub(super) id: &'static str,
    pub(super) heading: String,
    pub(super) table: Table,
    pub(super) sentences: Vec<String>,
}

impl Passage {
    pub(super) fn new(id: &'static str, heading: impl Into<String>, table: Table, sentences: Vec<String>) -> Self {
        Self { id, heading: heading.into(), table, sentences }
    }

    /// As a section of its own.
    pub(super) fn section(self) -> Section {
        let notes = Block::some(Block::Notes, self.sentences);
        Section::new(self.id, self.heading, std::iter::once(Block::Table(self.table)).chain(notes).collect())
    }

    /// The same within a section: the titled table, and the sentences below it.
    pub(super) fn blocks(mut self) -> Vec<Block> {
        let notes = Block::some(Block::Notes, std::mem::take(&mut self.sentences));
        std::iter::once(self.titled()).chain(notes).collect()
    }

    /// The table alone, which has the heading as its title.
    pub(super) fn titled(self) -> Block {
        Block::Table(self.table.titled(self.heading))
    }

    /// The sentences as one paragraph.
    pub(super) fn text(&self) -> Block {
        Block::Text(self.sentences.join(" ").into())
    }
}
