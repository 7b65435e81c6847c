// Tables that sort by a click on a heading, and that can be kept as a file.
import { csvOfTable, download } from './table';
import { element } from './words';

function keyOf(row: HTMLTableRowElement, column: number): number | string {
  const cell = row.cells[column];
  const number = cell?.dataset['sort'];
  return number === undefined || number === '' ? (cell?.textContent ?? '') : Number(number);
}

function sortBy(table: HTMLTableElement, column: number, ascending: boolean): void {
  const body = table.tBodies[0];
  if (body === undefined) {
    return;
  }
  const rows = Array.from(body.rows);
  rows.sort((a, b) => {
    const left = keyOf(a, column);
    const right = keyOf(b, column);
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : String(left).localeCompare(String(right), 'en', { numeric: true });
    return ascending ? order : -order;
  });
  body.append(...rows);
}

function makeSortable(table: HTMLTableElement): void {
  const headings = Array.from(table.tHead?.rows[0]?.cells ?? []);
  headings.forEach((heading, column) => {
    const button = element('button', 'sort');
    button.type = 'button';
    button.append(...Array.from(heading.childNodes));
    heading.append(button);
    button.addEventListener('click', () => {
      // numbers begin with the largest, texts with the first
      const first = heading.classList.contains('number') ? 'descending' : 'ascending';
      const now = heading.getAttribute('aria-sort');
      const next = now === null ? first : now === 'ascending' ? 'descending' : 'ascending';
      for (const other of headings) {
        other.removeAttribute('aria-sort');
      }
      heading.setAttribute('aria-sort', next);
      sortBy(table, column, next === 'ascending');
    });
  });
}

export function improveTables(studyName: string): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('table[data-name]')) {
    if ((table.tBodies[0]?.rows.length ?? 0) > 1) {
      makeSortable(table);
    }
    const button = element('button', 'keep', 'CSV');
    button.type = 'button';
    button.title = 'Download this table';
    button.setAttribute('aria-label', `Download as CSV: ${table.caption?.textContent ?? ''}`);
    const name = `${studyName}-${table.dataset['name'] ?? 'table'}.csv`;
    button.addEventListener('click', () => download(name, 'text/csv', csvOfTable(table)));
    table.caption?.append(button);
  }
}
