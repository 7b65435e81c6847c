// A panel's numbers as rows, for downloads and for those who would rather read than see.
import type { Chart, Panel } from './chart';

export type Cell = string | number | null;
export interface Rows {
  header: string[];
  rows: Cell[][];
}

function named(title: string, unit: string, fallback: string): string {
  const name = title === '' ? fallback : title;
  return unit === '' ? name : `${name} (${unit})`;
}

export function rowsOf(panel: Panel): Rows {
  const x = named(panel.x.title, panel.x.unit, 'x');
  const y = named(panel.y.title, panel.y.unit, 'value');
  if (panel.bars !== undefined) {
    const rows = panel.x.categories.map((category, i) => [
      category,
      ...(panel.bars ?? []).map((group) => group.values[i] ?? null),
    ]);
    return { header: [x === 'x' ? 'name' : x, ...panel.bars.map((each) => each.name || y)], rows };
  }
  if (panel.heat !== undefined) {
    const { edges, labels, values, refused } = panel.heat;
    const columns = edges.length - 1;
    const rows = values.map((value, at): Cell[] => {
      const column = at % columns;
      return [
        labels[Math.floor(at / columns)] ?? '',
        edges[column] ?? null,
        edges[column + 1] ?? null,
        value,
        refused[at] === '1' ? 1 : 0,
      ];
    });
    return { header: ['partition', `${x} from`, `${x} to`, 'used of its share', 'refused'], rows };
  }
  if (panel.bands !== undefined) {
    const rows = panel.bands.map((each): Cell[] => [each.label, ...each.x, ...each.y]);
    return { header: ['partition', `${x} from`, `${x} to`, `${y} from`, `${y} to`], rows };
  }
  const rows: Cell[][] = [];
  for (const line of panel.lines ?? []) {
    (panel.xs?.[line.x] ?? []).forEach((at, i) => rows.push([line.name, at, line.y[i] ?? null]));
  }
  return { header: ['name', x, y], rows };
}

/** RFC 4180; what a spreadsheet would take for a formula gets a leading quote. */
function field(cell: Cell): string {
  if (cell === null) {
    return '';
  }
  if (typeof cell === 'number') {
    return String(cell);
  }
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvOf(chart: Chart): string {
  return chart.panels
    .map((panel) => {
      const { header, rows } = rowsOf(panel);
      const lead = [panel.variant, panel.heading];
      const lines = rows.map((row) => [...lead, ...row].map(field).join(','));
      return [['variant', 'panel', ...header].map(field).join(','), ...lines].join('\n');
    })
    .join('\n\n')
    .concat('\n');
}

export function csvOfTable(table: HTMLTableElement): string {
  return Array.from(table.rows)
    .map((row) => Array.from(row.cells, (cell) => field((cell.textContent ?? '').trim())).join(','))
    .join('\n')
    .concat('\n');
}

/** A file made of text that the reader keeps; nothing leaves the page. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(new Blob([text], { type }));
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
