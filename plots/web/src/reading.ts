// What a panel says at a place: the one source of tooltips, of what is read aloud and of tables.
import { isOverTime, type Axis, type BarGroup, type Line, type Panel } from './chart';
import type { Theme } from './theme';
import { duration, percent, withUnit } from './words';

export interface Entry {
  name: string;
  value: string;
  color: string;
}

export interface Reading {
  head: string;
  entries: Entry[];
}

const MOST_ENTRIES = 14;

function nearestTick(axis: Axis, x: number): string {
  let best = '';
  let distance = Infinity;
  for (const tick of axis.ticks) {
    const off = Math.abs(Math.log(tick.at / x));
    if (tick.text !== '' && off < distance) {
      distance = off;
      best = tick.text;
    }
  }
  return distance < 0.02 ? best : '';
}

/** A value along the y axis; one whose marks say `10 ms` and `1 s` is in milliseconds. */
function valueOn(axis: Axis, value: number): string {
  return axis.unit === '' && axis.ticks.some((each) => each.text.endsWith(' ms'))
    ? duration(value)
    : withUnit(value, axis.unit);
}

/** A place on the x axis in words; on a percentile axis x is 1 / (1 - p). */
export function place(panel: Panel, x: number): string {
  if (panel.x.ticks.length > 0 && panel.x.logarithmic) {
    const exact = nearestTick(panel.x, x);
    const digits = Math.min(5, Math.max(0, Math.ceil(Math.log10(x)) - 1));
    return exact !== '' ? exact : `${((1 - 1 / x) * 100).toFixed(digits)} %`;
  }
  return withUnit(Math.round(x * 1000) / 1000, panel.x.unit);
}

function indexAt(xs: number[], x: number, stepped: boolean): number {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((xs[middle] ?? Infinity) <= x) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const next = low + 1;
  const nearer =
    !stepped && next < xs.length && Math.abs((xs[next] ?? 0) - x) < Math.abs((xs[low] ?? 0) - x);
  return nearer ? next : low;
}

function ofLines(panel: Panel, lines: Line[], x: number, theme: Theme): Entry[] {
  const entries: { size: number; entry: Entry }[] = [];
  for (const line of lines) {
    const value = line.y[indexAt(panel.xs?.[line.x] ?? [], x, line.stepped)];
    if (value !== null && value !== undefined) {
      entries.push({
        size: value,
        entry: {
          name: line.name,
          value: valueOn(panel.y, value),
          color: theme.color(line.meaning, line.number),
        },
      });
    }
  }
  if (entries.length > MOST_ENTRIES) {
    entries.sort((a, b) => b.size - a.size); // the rest is where nothing happens
  }
  return entries.slice(0, MOST_ENTRIES).map((each) => each.entry);
}

function ofHeat(panel: Panel, x: number, y: number, theme: Theme): Reading {
  const heat = panel.heat;
  const column = heat === undefined ? -1 : indexAt(heat.edges, x, true);
  const columns = (heat?.edges.length ?? 1) - 1;
  const row = Math.floor(y);
  if (heat === undefined || column >= columns || row < 0 || row >= heat.labels.length) {
    return { head: '', entries: [] };
  }
  const at = row * columns + column;
  const value = heat.values[at] ?? null;
  const refused = heat.refused[at] === '1';
  const span = `${place(panel, heat.edges[column] ?? 0)} to ${place(panel, heat.edges[column + 1] ?? 0)}`;
  const name = `partition ${heat.labels[row] ?? ''}`;
  if (value === null) {
    return { head: span, entries: [{ name, value: 'not there', color: theme.grid }] };
  }
  const words = `${percent(value)} of its share${refused ? ', requests refused' : ''}`;
  return { head: span, entries: [{ name, value: words, color: theme.heat(value, refused) }] };
}

function ofBars(panel: Panel, bars: BarGroup[], index: number, theme: Theme): Reading {
  const entries: Entry[] = [];
  for (const group of bars) {
    const value = group.values[index];
    if (value !== null && value !== undefined) {
      const number = group.colors[index];
      entries.push({
        name: group.name,
        value: group.texts[index] ?? withUnit(value, panel.y.unit),
        color: number === undefined ? theme.color(group.meaning, 0) : theme.color('series', number),
      });
    }
  }
  return { head: panel.x.categories[index] ?? '', entries };
}

/** At x and y of the axes; bars are found by the number of their category as x. */
export function readAt(panel: Panel, x: number, y: number, theme: Theme): Reading {
  if (panel.bars !== undefined) {
    return ofBars(panel, panel.bars, Math.round(x), theme);
  }
  if (panel.heat !== undefined) {
    return ofHeat(panel, x, y, theme);
  }
  const head = isOverTime(panel) ? `at ${place(panel, x)}` : place(panel, x);
  if (panel.bands !== undefined) {
    const band = panel.bands.find(
      (each) => each.x[0] <= x && x < each.x[1] && each.y[0] <= y && y < each.y[1],
    );
    const value = band && withUnit(Math.round((band.y[1] - band.y[0]) * 1000) / 1000, panel.y.unit);
    return {
      head,
      entries:
        band === undefined
          ? []
          : [
              {
                name: band.label === '' ? 'partition' : `partition ${band.label}`,
                value: value ?? '',
                color: theme.color('series', band.color),
              },
            ],
    };
  }
  return { head, entries: ofLines(panel, panel.lines ?? [], x, theme) };
}
