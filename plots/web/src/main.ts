// Makes the page interactive. Without this script it is complete but for its charts.
import type { PageData } from './chart';
import { ChartView } from './chart_view';
import type { Listener, PanelView, Span } from './panel_view';
import { improveTables } from './sorting';
import { makeTheme, prefersDark, remember } from './theme';
import { download } from './table';
import { element } from './words';

class Page implements Listener {
  private readonly charts: ChartView[] = [];
  private readonly wholeRun = element('button', 'whole-run', 'Show the whole run');
  private dark = prefersDark();

  constructor(private readonly data: PageData) {
    this.applyTheme();
    const theme = makeTheme(data, this.dark);
    for (const figure of document.querySelectorAll<HTMLElement>('figure[data-chart]')) {
      const chart = data.charts[Number(figure.dataset['chart'])];
      if (chart !== undefined) {
        this.charts.push(new ChartView(chart, figure, data.name, theme, this));
      }
    }
    improveTables(data.name);
    this.addControls();
    this.keepScenario();
    this.draw();
    this.watch();
    document.documentElement.dataset['ready'] = 'yes';
  }

  cursorMoved(from: PanelView, x: number | undefined): void {
    for (const panel of this.panels()) {
      if (panel !== from && panel.overTime) {
        panel.showCursor(x);
      }
    }
  }

  zoomChosen(span: Span | undefined): void {
    this.wholeRun.hidden = span === undefined;
    for (const panel of this.panels()) {
      if (panel.overTime) {
        panel.setZoom(span);
      }
    }
  }

  private panels(): PanelView[] {
    return this.charts.flatMap((each) => each.panels);
  }

  private draw(): void {
    for (const chart of this.charts) {
      chart.draw();
    }
  }

  private applyTheme(): void {
    document.documentElement.dataset['theme'] = this.dark ? 'dark' : 'light';
  }

  private setTheme(dark: boolean): void {
    this.dark = dark;
    this.applyTheme();
    const theme = makeTheme(this.data, dark);
    for (const chart of this.charts) {
      chart.setTheme(theme);
    }
  }

  // ---- controls ---------------------------------------------------------------------------------

  private addControls(): void {
    const bar = document.getElementById('controls');
    if (bar === null) {
      return;
    }
    if (this.data.variants.length > 1) {
      bar.append(this.variantSwitch());
    }
    this.wholeRun.type = 'button';
    this.wholeRun.hidden = true;
    this.wholeRun.addEventListener('click', () => this.zoomChosen(undefined));
    const dark = element('button', 'theme', 'Dark');
    dark.type = 'button';
    dark.setAttribute('aria-pressed', String(this.dark));
    dark.addEventListener('click', () => {
      this.setTheme(!this.dark);
      remember(this.dark);
      dark.setAttribute('aria-pressed', String(this.dark));
    });
    bar.append(this.wholeRun, dark);
    bar.hidden = false;
  }

  /** Names of variants are the reader's own text: they stand in attributes and text, never in
   *  selectors. */
  private variantSwitch(): HTMLElement {
    const label = element('label', '', 'Variant ');
    const list = element('select');
    list.id = 'variant';
    list.append(new Option(`all ${this.data.variants.length}`, ''));
    for (const name of this.data.variants) {
      list.append(new Option(name, `=${name}`));
    }
    list.addEventListener('change', () => this.showVariant(list.value));
    label.append(list);
    return label;
  }

  private showVariant(choice: string): void {
    for (const part of document.querySelectorAll<HTMLElement>('[data-variant]')) {
      part.hidden = choice !== '' && part.dataset['variant'] !== choice.slice(1);
    }
    this.draw();
  }

  private keepScenario(): void {
    const text = document.getElementById('scenario-text');
    if (text === null) {
      return;
    }
    const button = element('button', '', 'Download the scenario');
    button.type = 'button';
    button.addEventListener('click', () =>
      download(text.dataset['file'] ?? 'scenario.yaml', 'text/yaml', text.textContent ?? ''),
    );
    text.before(button);
  }

  // ---- the surroundings -------------------------------------------------------------------------

  private watch(): void {
    let waiting = 0;
    addEventListener('resize', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.draw(), 120);
    });
    let dark = this.dark;
    addEventListener('beforeprint', () => {
      dark = this.dark;
      document.documentElement.dataset['printing'] = 'yes';
      this.setTheme(false);
    });
    addEventListener('afterprint', () => {
      delete document.documentElement.dataset['printing'];
      this.setTheme(dark);
    });
  }
}

const block = document.getElementById('page-data');
if (block !== null) {
  new Page(JSON.parse(block.textContent ?? '{}') as PageData);
}
