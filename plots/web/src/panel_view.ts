// One panel on the page: the drawing, the cursor over it, what the cursor reads, the keyboard.
import { BarChart, CustomChart, LineChart } from 'echarts/charts';
import {
  DataZoomInsideComponent,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { isOverTime, type Panel } from './chart';
import { fromDrawn, optionFor, toDrawn } from './option';
import { readAt, type Reading } from './reading';
import type { Theme } from './theme';
import { element } from './words';

echarts.use([
  BarChart,
  CustomChart,
  LineChart,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  DataZoomInsideComponent,
  CanvasRenderer,
]);

export interface Span {
  from: number;
  to: number;
}

/** What a panel tells the page: its cursor moved, somebody chose a stretch of time. */
export interface Listener {
  cursorMoved(view: PanelView, x: number | undefined): void;
  zoomChosen(span: Span | undefined): void;
}

const SMALLEST_DRAG = 8; // pixels; less is a click

function heightOf(panel: Panel): number {
  if (panel.bars !== undefined) {
    const bars = panel.x.categories.length * Math.max(1, panel.bars.length);
    return 16 + Math.max(2, bars) * 30;
  }
  if (panel.heat !== undefined) {
    return 60 + Math.min(300, Math.max(110, panel.heat.labels.length * 15));
  }
  return 220;
}

export class PanelView {
  readonly box: HTMLElement;
  readonly overTime: boolean;
  private readonly plot: HTMLDivElement;
  private readonly cursor: HTMLDivElement;
  private readonly choice: HTMLDivElement;
  private readonly tip: HTMLDivElement;
  private readonly spoken: HTMLElement;
  private readonly hidden = new Set<string>();
  private chart: echarts.ECharts | undefined;
  private theme: Theme;
  private span: Span | undefined;
  private at: { x: number; y: number } | undefined; // of the keyboard's cursor
  private dragFrom: number | undefined;

  constructor(
    readonly panel: Panel,
    title: string,
    theme: Theme,
    private readonly listener: Listener,
  ) {
    this.theme = theme;
    this.overTime = isOverTime(panel);
    this.box = element('div', `panel ${panel.bars === undefined ? 'wide' : 'bars'}`);
    if (panel.variant !== '') {
      this.box.dataset['variant'] = panel.variant;
    }
    if (panel.heading !== '') {
      this.box.append(element('h4', '', panel.heading));
    }
    this.plot = element('div', 'plot');
    this.plot.style.height = `${heightOf(panel)}px`;
    this.plot.tabIndex = 0;
    this.plot.setAttribute('role', 'img');
    this.plot.setAttribute(
      'aria-label',
      [title, panel.heading, 'Arrow keys move the cursor and read the values.'].join('. '),
    );
    const canvas = element('div', 'canvas');
    this.cursor = element('div', 'cursor');
    this.choice = element('div', 'choice');
    this.tip = element('div', 'tip');
    this.spoken = element('p', 'spoken');
    this.spoken.setAttribute('aria-live', 'polite');
    this.cursor.hidden = this.choice.hidden = this.tip.hidden = true;
    this.plot.append(canvas, this.choice, this.cursor, this.tip);
    this.box.append(this.plot, this.spoken);
    this.addLegend();
    this.listen();
  }

  /** Draws, or draws again: after a change of theme, of size, of what is shown. */
  draw(): void {
    if (this.box.offsetParent === null && this.box.offsetWidth === 0) {
      return; // hidden: drawn when it is shown
    }
    const canvas = this.plot.firstElementChild as HTMLDivElement;
    this.chart ??= echarts.init(canvas, null, { renderer: 'canvas' });
    this.chart.resize();
    this.chart.setOption(this.option(), { notMerge: true });
    this.applyZoom();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const key of this.box.querySelectorAll<HTMLElement>('.legend button')) {
      this.paintKey(key);
    }
    this.draw();
  }

  setZoom(span: Span | undefined): void {
    this.span = span;
    this.applyZoom();
  }

  /** The line of a cursor that moves over another panel. */
  showCursor(x: number | undefined): void {
    const pixel = x === undefined ? undefined : this.pixelOf(x);
    this.cursor.hidden = pixel === undefined;
    if (pixel !== undefined) {
      this.cursor.style.left = `${pixel}px`;
    }
  }

  picture(): string {
    return this.chart?.getDataURL({ pixelRatio: 2, backgroundColor: this.theme.surface }) ?? '';
  }

  private option(): echarts.EChartsCoreOption {
    const width = this.plot.clientWidth;
    const { theme, hidden } = this;
    return optionFor(this.panel, { theme, hidden, width, narrow: width < 520 });
  }

  private applyZoom(): void {
    if (this.chart === undefined || !this.overTime) {
      return;
    }
    const { low, high } = this.panel.x;
    this.chart.dispatchAction({
      type: 'dataZoom',
      startValue: Math.max(low, this.span?.from ?? low),
      endValue: Math.min(high, this.span?.to ?? high),
    });
  }

  private pixelOf(x: number): number | undefined {
    const shown = this.shown();
    if (this.chart === undefined || x < shown.from || x > shown.to) {
      return undefined;
    }
    return this.chart.convertToPixel({ xAxisIndex: 0 }, toDrawn(this.panel.x, x)) as number;
  }

  private shown(): Span {
    const { low, high } = this.panel.x;
    return this.overTime && this.span !== undefined ? this.span : { from: low, to: high };
  }

  /** Values of the axes under a pixel of the plot; undefined outside of it. */
  private valuesAt(px: number, py: number): { x: number; y: number } | undefined {
    if (this.chart === undefined || !this.chart.containPixel({ gridIndex: 0 }, [px, py])) {
      return undefined;
    }
    const found = this.chart.convertFromPixel({ gridIndex: 0 }, [px, py]) as [number, number];
    return this.panel.bars !== undefined
      ? { x: found[1], y: found[0] }
      : { x: fromDrawn(this.panel.x, found[0]), y: fromDrawn(this.panel.y, found[1]) };
  }

  private listen(): void {
    this.plot.addEventListener('pointermove', (event) => this.pointerMoved(event));
    this.plot.addEventListener('pointerleave', () => this.leave());
    this.plot.addEventListener('blur', () => this.leave());
    this.plot.addEventListener('keydown', (event) => this.keyPressed(event));
    if (this.overTime) {
      this.plot.addEventListener('pointerdown', (event) => {
        if (event.pointerType === 'mouse' && event.button === 0) {
          this.dragFrom = this.offset(event).x;
        }
      });
      this.plot.addEventListener('pointerup', (event) => this.endDrag(this.offset(event).x));
      this.plot.addEventListener('dblclick', () => this.listener.zoomChosen(undefined));
    }
  }

  private offset(event: PointerEvent): { x: number; y: number } {
    const place = this.plot.getBoundingClientRect();
    return { x: event.clientX - place.left, y: event.clientY - place.top };
  }

  private pointerMoved(event: PointerEvent): void {
    const { x, y } = this.offset(event);
    if (this.dragFrom !== undefined) {
      this.choice.hidden = Math.abs(x - this.dragFrom) < SMALLEST_DRAG;
      this.choice.style.left = `${Math.min(x, this.dragFrom)}px`;
      this.choice.style.width = `${Math.abs(x - this.dragFrom)}px`;
    }
    const values = this.valuesAt(x, y);
    if (values === undefined) {
      this.leave();
      return;
    }
    this.showReading(values.x, values.y, x, y);
  }

  private endDrag(to: number): void {
    const from = this.dragFrom;
    this.dragFrom = undefined;
    this.choice.hidden = true;
    if (from === undefined || Math.abs(to - from) < SMALLEST_DRAG || this.chart === undefined) {
      return;
    }
    const ends = [from, to].map(
      (pixel) => this.chart?.convertFromPixel({ xAxisIndex: 0 }, pixel) as number,
    );
    const { low, high } = this.panel.x;
    this.listener.zoomChosen({
      from: Math.max(low, Math.min(...ends)),
      to: Math.min(high, Math.max(...ends)),
    });
  }

  private leave(): void {
    this.tip.hidden = true;
    this.at = undefined;
    this.listener.cursorMoved(this, undefined);
    this.showCursor(undefined);
  }

  private showReading(x: number, y: number, px: number, py: number): Reading {
    const reading = readAt(this.visiblePanel(), x, y, this.theme);
    this.tip.replaceChildren(element('strong', '', reading.head));
    for (const entry of reading.entries) {
      const row = element('div', 'row');
      const swatch = element('span', 'swatch');
      swatch.style.color = entry.color;
      row.append(swatch, element('span', 'name', entry.name), element('b', '', entry.value));
      this.tip.append(row);
    }
    this.tip.hidden = reading.head === '' && reading.entries.length === 0;
    const width = this.plot.clientWidth;
    const right = px > width / 2;
    this.tip.style.left = right ? '' : `${px + 14}px`;
    this.tip.style.right = right ? `${width - px + 14}px` : '';
    this.tip.style.top = `${Math.max(0, Math.min(py - 12, this.plot.clientHeight - 40))}px`;
    if (this.panel.bars === undefined) {
      this.showCursor(x);
    }
    this.listener.cursorMoved(this, this.overTime ? x : undefined);
    return reading;
  }

  private visiblePanel(): Panel {
    const { lines } = this.panel;
    return lines === undefined || this.hidden.size === 0
      ? this.panel
      : { ...this.panel, lines: lines.filter((each) => !this.hidden.has(each.name)) };
  }

  // ---- keyboard ---------------------------------------------------------------------------------

  private keyPressed(event: KeyboardEvent): void {
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    const up = { ArrowDown: -1, ArrowUp: 1 }[event.key] ?? 0;
    if (event.key === 'Escape') {
      this.leave();
      if (this.overTime) {
        this.listener.zoomChosen(undefined);
      }
    } else if ((event.key === '+' || event.key === '-') && this.overTime) {
      this.zoomByKey(event.key === '+' ? 0.5 : 2);
    } else if (across !== 0 || up !== 0) {
      this.step(across, up);
    } else {
      return;
    }
    event.preventDefault();
  }

  private zoomByKey(factor: number): void {
    const { from, to } = this.shown();
    const { low, high } = this.panel.x;
    const middle = this.at?.x ?? (from + to) / 2;
    const half = ((to - from) / 2) * factor;
    const span = { from: Math.max(low, middle - half), to: Math.min(high, middle + half) };
    this.listener.zoomChosen(span.from <= low && span.to >= high ? undefined : span);
  }

  private step(across: number, up: number): void {
    const { panel } = this;
    if (panel.bars !== undefined) {
      const last = panel.x.categories.length - 1;
      const index = Math.min(last, Math.max(0, (this.at?.x ?? -1) + (across - up || 1)));
      this.at = { x: index, y: 0 };
    } else {
      const { from, to } = this.shown();
      const low = toDrawn(panel.x, from);
      const high = toDrawn(panel.x, to);
      const rows = panel.heat?.labels.length;
      const height = rows ?? panel.y.high - panel.y.low;
      const before = this.at ?? { x: from, y: rows === undefined ? panel.y.low + height / 2 : rows - 0.5 };
      const drawn = toDrawn(panel.x, before.x) + (across * (high - low)) / 60;
      const row = before.y + up * (rows === undefined ? height / 20 : 1);
      this.at = {
        x: fromDrawn(panel.x, Math.min(high - (high - low) / 1e6, Math.max(low, drawn))),
        y: Math.min(rows === undefined ? panel.y.high : rows - 0.5, Math.max(rows === undefined ? panel.y.low : 0.5, row)),
      };
    }
    const pixel = panel.bars === undefined ? (this.pixelOf(this.at.x) ?? 0) : 90;
    const reading = this.showReading(this.at.x, this.at.y, pixel, panel.bars === undefined ? 30 : this.at.x * 30);
    this.spoken.textContent = [
      reading.head,
      ...reading.entries.map((each) => `${each.name} ${each.value}`),
    ].join('; ');
  }

  // ---- legend -----------------------------------------------------------------------------------

  private addLegend(): void {
    const { lines, bars } = this.panel;
    const names = [
      ...(lines ?? []).map(({ name, meaning, number, dash }) => ({ name, meaning, number, dash })),
      // one group of bars needs no name
      ...(bars !== undefined && bars.length > 1
        ? bars.map(({ name, meaning }) => ({ name, meaning, number: 0, dash: 0 }))
        : []),
    ].filter((each) => each.name !== '');
    if (names.length < 2) {
      return;
    }
    const legend = element('div', 'legend');
    for (const { name, meaning, number, dash } of names) {
      const key = element('button', '', name);
      key.type = 'button';
      key.dataset['meaning'] = meaning;
      key.dataset['number'] = String(number);
      key.prepend(element('span', dash > 0 ? 'swatch dashed' : 'swatch'));
      if (this.panel.lines === undefined) {
        key.disabled = true;
      } else {
        key.setAttribute('aria-pressed', 'true');
        key.addEventListener('click', () => this.toggle(name, key));
      }
      this.paintKey(key);
      legend.append(key);
    }
    this.box.append(legend);
  }

  private paintKey(key: HTMLElement): void {
    const swatch = key.firstElementChild as HTMLElement;
    const meaning = (key.dataset['meaning'] ?? 'series') as 'series';
    swatch.style.color = this.theme.color(meaning, Number(key.dataset['number']));
  }

  private toggle(name: string, key: HTMLElement): void {
    const shown = this.hidden.delete(name);
    if (!shown) {
      this.hidden.add(name);
    }
    key.setAttribute('aria-pressed', String(shown));
    this.draw();
  }
}
