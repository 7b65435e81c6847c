// One chart on the page: its panels, and its numbers as a table and as files.
import type { Chart } from './chart';
import { PanelView, type Listener } from './panel_view';
import { csvOf, download, rowsOf } from './table';
import type { Theme } from './theme';
import { element } from './words';

const MOST_ROWS = 400; // of a table on the page; the file has all

export class ChartView {
  readonly panels: PanelView[];

  constructor(
    private readonly chart: Chart,
    figure: HTMLElement,
    studyName: string,
    theme: Theme,
    listener: Listener,
  ) {
    const place = element('div', chart.columns > 1 ? 'panels side-by-side' : 'panels');
    this.panels = chart.panels.map((panel) => new PanelView(panel, chart.title, theme, listener));
    place.append(...this.panels.map((each) => each.box));
    if (chart.panels.some((panel) => panel.heat !== undefined)) {
      figure.append(heatKey());
    }
    figure.append(place, this.tools(studyName));
  }

  draw(): void {
    for (const panel of this.panels) {
      panel.draw();
    }
  }

  setTheme(theme: Theme): void {
    for (const panel of this.panels) {
      panel.setTheme(theme);
    }
  }

  private tools(studyName: string): HTMLElement {
    const tools = element('div', 'tools');
    const { name, title } = this.chart;
    const numbers = element('button', '', 'Download data (CSV)');
    numbers.type = 'button';
    numbers.setAttribute('aria-label', `Download the data of: ${title}`);
    numbers.addEventListener('click', () =>
      download(`${studyName}-${name}.csv`, 'text/csv', csvOf(this.chart)),
    );
    const picture = element('button', '', 'Download picture (PNG)');
    picture.type = 'button';
    picture.setAttribute('aria-label', `Download a picture of: ${title}`);
    picture.addEventListener('click', () => this.savePictures(`${studyName}-${name}`));
    tools.append(numbers, picture, this.asTable());
    return tools;
  }

  private savePictures(name: string): void {
    const shown = this.panels.filter((each) => each.box.offsetWidth > 0);
    shown.forEach((panel, i) => {
      const link = document.createElement('a');
      link.href = panel.picture();
      link.download = shown.length === 1 ? `${name}.png` : `${name}-${i + 1}.png`;
      link.click();
    });
  }

  /** Built when it is opened: most readers never do. */
  private asTable(): HTMLElement {
    const details = element('details', 'numbers');
    details.append(element('summary', '', 'Show as table'));
    details.addEventListener('toggle', () => {
      if (details.open && details.childElementCount === 1) {
        for (const { panel } of this.panels) {
          details.append(tableOf(this.chart, panel));
        }
      }
    });
    return details;
  }
}

function tableOf(chart: Chart, panel: Chart['panels'][number]): HTMLElement {
  const { header, rows } = rowsOf(panel);
  const table = element('table');
  const caption = panel.heading === '' ? chart.title : panel.heading;
  const left = rows.length - MOST_ROWS;
  const rest = left > 0 ? ` (the first ${MOST_ROWS} of ${rows.length} rows; the CSV has all)` : '';
  table.append(element('caption', '', caption + rest));
  const head = table.createTHead().insertRow();
  for (const name of header) {
    const cell = element('th', '', name);
    cell.scope = 'col';
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows.slice(0, MOST_ROWS)) {
    const line = body.insertRow();
    for (const cell of row) {
      line.append(element('td', typeof cell === 'number' ? 'number' : '', cell === null ? '' : String(cell)));
    }
  }
  const scroll = element('div', 'scroll');
  scroll.tabIndex = 0;
  scroll.append(table);
  return scroll;
}

/** What the colours of a heat map say. */
function heatKey(): HTMLElement {
  const key = element('p', 'heat-key');
  for (const [name, text] of [
    ['used', 'used of its share, from nothing to nearly all'],
    ['at-limit', 'at its limit, or requests refused'],
  ] as const) {
    const entry = element('span', '', text);
    entry.prepend(element('span', `swatch ${name}`));
    key.append(entry);
  }
  return key;
}
