// Each table of the class `sortable` can be taken as CSV: the rows that are shown, in the order in which they stand.
(() => {
  'use strict';
  const NUMBER = /^[+-]?[\d_.]+(?: ?[^\d=@]*)?$/;

  const field = cell => {
    const text = cell.textContent.trim();
    // A spreadsheet would take a name that begins so for a formula.
    const safe = /^[=+\-@]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  const csv = table => {
    const rows = [table.tHead.rows[0], ...table.tBodies[0].rows].filter(row => !row.hidden);
    return rows.map(row => [...row.cells].map(field).join(',')).join('\r\n') + '\r\n';
  };

  for (const table of document.querySelectorAll('table.sortable')) {
    const title = table.caption.textContent;
    const button = Object.assign(document.createElement('button'), {
      type: 'button', className: 'take', textContent: 'CSV', ariaLabel: `CSV of the table: ${title}`,
    });
    button.addEventListener('click', () => {
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 60);
      const href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv(table))}`;
      Object.assign(document.createElement('a'), { download: `${name || 'table'}.csv`, href }).click();
    });
    table.caption.append(' ', button);
  }
})();
