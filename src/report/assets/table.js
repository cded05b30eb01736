// Tables of the class `sortable` are sorted by a press on a heading; those of more than a dozen rows have a filter above them.
(() => {
  'use strict';
  const LONG = 12;
  const UNITS = { ns: 1, '\u00b5s': 1e3, ms: 1e6, s: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  const NUMBER = /^([+-]?\d[\d_]*(?:\.\d+)?)(?: ?(ns|\u00b5s|ms|s|B|KiB|MiB|GiB|%|\u00d7))?(?: [\u00b1(].*)?$/;
  const made = (name, properties) => Object.assign(document.createElement(name), properties);

  // What a cell says, which is nothing where a dash stands.
  const words = cell => (cell?.dataset.value ?? cell?.textContent ?? '').trim().replace(/^\u2013$/, '');
  const number = text => {
    const found = NUMBER.exec(text);
    return found ? Number(found[1].replaceAll('_', '')) * (UNITS[found[2]] ?? 1) : NaN;
  };

  const sort = (table, head) => {
    const body = table.tBodies[0];
    const down = head.getAttribute('aria-sort') === 'ascending';
    for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const rows = [...body.rows].map(row => ({ row, text: words(row.cells[head.cellIndex]) }));
    const figures = rows.every(({ text }) => text === '' || !Number.isNaN(number(text)));
    const order = (one, other) => figures ? number(one) - number(other) : one.localeCompare(other, 'en', { numeric: true });
    rows.sort(({ text: one }, { text: other }) => {
      // What is not known comes last, whichever way.
      if (one === '' || other === '') return (one === '') - (other === '');
      return down ? order(other, one) : order(one, other);
    });
    body.append(...rows.map(({ row }) => row));
  };

  const filter = table => {
    const rows = [...table.tBodies[0].rows];
    const field = made('input', { type: 'search', ariaLabel: `Filter: ${table.caption.textContent}` });
    const count = made('output', {});
    const label = made('label', { className: 'filter' });
    label.append('Filter ', field, count);
    field.addEventListener('input', () => {
      const wanted = field.value.toLowerCase().split(/\s+/);
      for (const row of rows) row.hidden = !wanted.every(word => row.textContent.toLowerCase().includes(word));
      const shown = rows.filter(row => !row.hidden).length;
      count.value = shown === rows.length ? '' : `${shown} of ${rows.length} rows`;
    });
    table.parentElement.before(label);
  };

  for (const table of document.querySelectorAll('table.sortable')) {
    for (const head of table.tHead.rows[0].cells) {
      if (!head.textContent.trim()) continue;
      const button = made('button', { type: 'button' });
      button.append(...head.childNodes);
      button.addEventListener('click', () => sort(table, head));
      head.append(button);
    }
    if (table.tBodies[0].rows.length > LONG) filter(table);
  }
})();
