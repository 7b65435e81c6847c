// A panel's description as options of the chart library.
import type { CustomSeriesOption } from 'echarts/charts';
import type { EChartsCoreOption } from 'echarts/core';
import { isOverTime, type Axis, type Line, type Panel } from './chart';
import type { Theme } from './theme';
import { short } from './words';

/** Logarithmic axes are drawn as linear ones of the logarithm, so that marks stand where the
 *  description has them. */
export function toDrawn(axis: Axis, value: number): number {
  return axis.logarithmic ? Math.log10(Math.max(value, 1e-12)) : value;
}

export function fromDrawn(axis: Axis, drawn: number): number {
  return axis.logarithmic ? 10 ** drawn : drawn;
}

export interface Look {
  theme: Theme;
  hidden: ReadonlySet<string>; // names of lines
  narrow: boolean;
  width: number; // pixels
}

const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** At most `most` of the marks, evenly. */
function thinned<T>(items: T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, i) => i % step === 0);
}

interface Marks {
  at: number[];
  text: string[];
}

function marksOf(axis: Axis, most: number): Marks | undefined {
  if (axis.ticks.length > 0) {
    const ticks = axis.ticks.filter((each) => each.at >= axis.low && each.at <= axis.high);
    // marks without a text are minor ones
    const named = thinned(ticks.filter((each) => each.text !== ''), most);
    return { at: named.map((each) => toDrawn(axis, each.at)), text: named.map((each) => each.text) };
  }
  if (!axis.logarithmic) {
    return undefined;
  }
  const at: number[] = [];
  for (let power = Math.ceil(Math.log10(axis.low)); power <= Math.log10(axis.high) + 1e-9; ++power) {
    at.push(power);
  }
  return { at, text: at.map((power) => short(10 ** power)) };
}

function valueAxis(axis: Axis, most: number, look: Look, grid: boolean): Record<string, unknown> {
  const marks = marksOf(axis, most);
  const titled = axis.title !== '' && axis.unit !== '' ? `${axis.title}, ${axis.unit}` : axis.title;
  return {
    type: 'value',
    min: toDrawn(axis, axis.low),
    max: toDrawn(axis, axis.high),
    name: titled === '' ? axis.unit : titled,
    nameLocation: 'middle',
    nameTextStyle: { color: look.theme.soft, fontFamily: FONT },
    splitNumber: most,
    axisLine: { show: true, lineStyle: { color: look.theme.grid } },
    axisTick: { show: marks !== undefined, customValues: marks?.at },
    splitLine: { show: grid, lineStyle: { color: look.theme.grid } },
    axisLabel: {
      color: look.theme.soft,
      fontFamily: FONT,
      hideOverlap: true,
      customValues: marks?.at,
      formatter: (value: number): string => {
        const at = marks?.at.findIndex((each) => Math.abs(each - value) < 1e-9) ?? -1;
        return at >= 0 ? (marks?.text[at] ?? '') : short(value);
      },
    },
  };
}

function rowAxis(labels: string[], title: string, look: Look, most: number): Record<string, unknown> {
  const places = thinned(labels.map((text, i) => ({ at: i + 0.5, text })), most);
  return {
    type: 'value',
    min: 0,
    max: labels.length,
    name: title,
    nameLocation: 'middle',
    nameTextStyle: { color: look.theme.soft, fontFamily: FONT },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      color: look.theme.soft,
      fontFamily: FONT,
      customValues: places.map((each) => each.at),
      formatter: (value: number): string => labels[Math.floor(value)] ?? '',
    },
  };
}

interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  fill: string;
  label: string;
}

/** Rectangles in the units of the axes, clipped to the plot. */
function boxes(items: Box[], gap: { x: number; y: number }): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    clip: true,
    animation: false,
    dimensions: ['x0', 'y0', 'x1', 'y1'],
    encode: { x: ['x0', 'x1'], y: ['y0', 'y1'] },
    data: items.map((each) => [each.x0, each.y0, each.x1, each.y1]),
    renderItem: (params, api) => {
      const item = items[params.dataIndex];
      if (item === undefined) {
        return null;
      }
      const [left = 0, bottom = 0] = api.coord([item.x0, item.y0]);
      const [right = 0, top = 0] = api.coord([item.x1, item.y1]);
      const width = Math.max(right - left, 0.5);
      const height = bottom - top;
      return {
        type: 'rect' as const,
        shape: { x: left, y: top, width: width - gap.x, height: height - gap.y },
        style: { fill: item.fill, lineWidth: 0 },
        textConfig: { position: 'inside' as const },
        textContent: {
          type: 'text' as const,
          ignore: item.label === '' || width < 22 || height < 13,
          style: { text: item.label, font: `600 11px ${FONT}`, fill: '#FFFFFF', stroke: '#00000088', lineWidth: 2 },
        },
      };
    },
  };
}

/** Neighbours of one colour become one rectangle: idle partitions are most of a heat map. */
function heatBoxes(panel: Panel, theme: Theme): Box[] {
  const heat = panel.heat;
  if (heat === undefined) {
    return [];
  }
  const columns = heat.edges.length - 1;
  const found: Box[] = [];
  for (let row = 0; row < heat.labels.length; ++row) {
    let open: Box | undefined;
    for (let column = 0; column < columns; ++column) {
      const at = row * columns + column;
      const value = heat.values[at] ?? null;
      if (value === null) {
        open = undefined;
        continue;
      }
      const fill = theme.heat(value, heat.refused[at] === '1');
      const x1 = heat.edges[column + 1] ?? 0;
      if (open !== undefined && open.fill === fill) {
        open.x1 = x1;
      } else {
        open = { x0: heat.edges[column] ?? 0, x1, y0: row, y1: row + 1, fill, label: '' };
        found.push(open);
      }
    }
  }
  return found;
}

function lineSeries(panel: Panel, line: Line, look: Look): Record<string, unknown> {
  const xs = panel.xs?.[line.x] ?? [];
  return {
    type: 'line',
    name: line.name,
    silent: true,
    showSymbol: line.y.filter((each) => each !== null).length === 1,
    step: line.stepped ? 'end' : false,
    connectNulls: false,
    animation: false,
    color: look.theme.color(line.meaning, line.number),
    lineStyle: { width: 2, type: (['solid', 'dashed', 'dotted'] as const)[line.dash] ?? 'solid' },
    data: xs.map((x, i) => {
      const y = line.y[i];
      return [toDrawn(panel.x, x), y === null || y === undefined ? null : toDrawn(panel.y, y)];
    }),
  };
}

interface PhaseStyle {
  above: boolean;
  style: Record<string, unknown>;
}

/** A shade behind lines, a veil over cells, a frame around bands, whose colours tell partitions. */
function phaseStyle(panel: Panel, theme: Theme): PhaseStyle {
  if (panel.heat !== undefined) {
    return { above: true, style: { color: theme.dark ? 'rgba(20,24,31,.4)' : 'rgba(255,255,255,.4)' } };
  }
  if (panel.bands !== undefined) {
    const frame = { borderColor: theme.text, borderWidth: 1, borderType: 'dotted' };
    return { above: true, style: { color: 'transparent', ...frame } };
  }
  return {
    above: false,
    style: { color: theme.dark ? 'rgba(160,175,195,.14)' : 'rgba(70,90,120,.09)' },
  };
}

/** Limits, phases and marks hang on a series that draws nothing itself. */
function annotations(panel: Panel, look: Look): Record<string, unknown> {
  const { theme } = look;
  const label = { color: theme.soft, fontFamily: FONT, fontSize: 11 };
  const horizontal = panel.limits.map((each) => ({
    yAxis: toDrawn(panel.y, each.y),
    label: { ...label, show: true, formatter: () => each.label, position: 'insideEndTop' },
    lineStyle: { color: theme.color('limit', 0), type: 'dashed', width: 1.5 },
  }));
  const vertical = panel.marks.map((each) => ({
    xAxis: toDrawn(panel.x, each.x),
    label: {
      ...label,
      show: panel.marks.length <= 6 && !look.narrow,
      formatter: () => each.label,
      position: 'end',
      rotate: 0,
      distance: 4,
    },
    lineStyle: { color: theme.soft, type: 'solid', width: 1 },
  }));
  const area = phaseStyle(panel, theme);
  return {
    type: 'line',
    data: [],
    silent: true,
    animation: false,
    z: 4,
    markLine: { silent: true, symbol: 'none', animation: false, data: [...horizontal, ...vertical] },
    markArea: {
      silent: true,
      animation: false,
      z: area.above ? 4 : 0,
      itemStyle: area.style,
      data: panel.phases.map((each) => [
        {
          xAxis: toDrawn(panel.x, each.from),
          label: {
            ...label,
            color: area.above ? theme.text : theme.soft,
            show: panel.bands === undefined,
            formatter: () => each.label,
            position: 'insideTop',
          },
        },
        { xAxis: toDrawn(panel.x, each.to) },
      ]),
    },
  };
}

/** About as many pixels as the longest text needs. */
function widthOf(texts: string[]): number {
  return 7 * Math.max(0, ...texts.map((each) => each.length));
}

function barOption(panel: Panel, look: Look): EChartsCoreOption {
  const { theme } = look;
  const categories = panel.x.categories;
  const texts = (panel.bars ?? []).flatMap((group) => group.texts);
  const room = Math.min(widthOf(categories) + 14, look.width * 0.45);
  return {
    animation: false,
    textStyle: { fontFamily: FONT },
    grid: { left: room, right: Math.max(60, widthOf(texts) + 12), top: 6, bottom: 6 },
    xAxis: {
      ...valueAxis(panel.y, 4, look, false),
      name: '',
      axisLabel: { show: false },
      axisLine: { show: false },
      axisTick: { show: false },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: categories.map((_, i) => String(i)),
      axisLine: { lineStyle: { color: theme.grid } },
      axisTick: { show: false },
      axisLabel: {
        color: theme.text,
        fontFamily: FONT,
        width: room - 10,
        overflow: 'truncate',
        formatter: (index: string): string => categories[Number(index)] ?? '',
      },
    },
    series: (panel.bars ?? []).map((group) => ({
      type: 'bar',
      silent: true,
      barMaxWidth: 22,
      color: theme.color(group.meaning, 0),
      data: group.values.map((value, i) => ({
        value: value === null ? '-' : toDrawn(panel.y, value),
        itemStyle:
          group.colors[i] === undefined ? {} : { color: theme.color('series', group.colors[i] ?? 0) },
        label: {
          show: true,
          position: 'right',
          color: theme.text,
          fontFamily: FONT,
          formatter: () => group.texts[i] ?? (value === null ? '' : short(value)),
        },
      })),
    })),
  };
}

export const PLOT_LEFT = 62;

export function optionFor(panel: Panel, look: Look): EChartsCoreOption {
  if (panel.bars !== undefined) {
    return barOption(panel, look);
  }
  const most = look.narrow ? 4 : 8;
  const series: (CustomSeriesOption | Record<string, unknown>)[] = [];
  if (panel.heat !== undefined) {
    series.push(boxes(heatBoxes(panel, look.theme), { x: -0.4, y: panel.heat.labels.length <= 24 ? 1 : -0.4 }));
  }
  if (panel.bands !== undefined) {
    const found = panel.bands.map((each) => ({
      x0: each.x[0],
      x1: each.x[1],
      y0: each.y[0],
      y1: each.y[1],
      fill: look.theme.color('series', each.color),
      label: each.label,
    }));
    series.push(boxes(found, { x: 1, y: 1 }));
  }
  for (const line of panel.lines ?? []) {
    if (!look.hidden.has(line.name)) {
      series.push(lineSeries(panel, line, look));
    }
  }
  series.push(annotations(panel, look));
  const titleGap = panel.y.title === '' && panel.y.unit === '' ? 0 : 44;
  return {
    animation: false,
    textStyle: { fontFamily: FONT },
    grid: { left: PLOT_LEFT, right: 14, top: panel.marks.length > 0 ? 22 : 10, bottom: 42 },
    xAxis: { ...valueAxis(panel.x, most, look, false), nameGap: 26 },
    yAxis: {
      ...(panel.heat === undefined
        ? valueAxis(panel.y, 5, look, panel.bands === undefined)
        : rowAxis(panel.heat.labels, panel.y.title === '' ? 'partition' : panel.y.title, look, 12)),
      nameGap: titleGap,
    },
    // moved by the page, never by the wheel: reading on must not change a chart
    dataZoom: isOverTime(panel) ? [{ type: 'inside', disabled: true, filterMode: 'none' }] : [],
    series,
  };
}
