// A chart as report.html carries it: the plain description that every backend draws. Meanings and
// fields are those of include/partsim/plots/chart.hpp.

export type Meaning = 'series' | 'ok' | 'throttled' | 'retried' | 'failed' | 'limit';

export interface Tick {
  at: number;
  text: string;
}

export interface Axis {
  title: string;
  unit: string;
  logarithmic: boolean;
  low: number;
  high: number;
  categories: string[];
  ticks: Tick[];
}

export interface Line {
  name: string;
  meaning: Meaning;
  number: number;
  x: number; // index into the panel's `xs`: lines often share theirs
  y: (number | null)[];
  stepped: boolean;
  dash: number; // 0: solid
}

export interface BarGroup {
  name: string;
  meaning: Meaning;
  values: (number | null)[];
  texts: string[];
  colors: number[];
}

export interface HeatMap {
  edges: number[];
  labels: string[]; // from the bottom
  values: (number | null)[]; // row by row
  refused: string; // row by row, '1' where something was refused
}

export interface Band {
  x: [number, number];
  y: [number, number];
  color: number;
  label: string;
}

export interface Panel {
  heading: string;
  variant: string;
  x: Axis;
  y: Axis;
  xs?: number[][];
  lines?: Line[];
  bars?: BarGroup[];
  heat?: HeatMap;
  bands?: Band[];
  limits: { y: number; label: string }[];
  phases: { from: number; to: number; label: string }[];
  marks: { x: number; label: string }[];
}

export interface Chart {
  name: string;
  title: string;
  explanation: string;
  columns: number; // panels side by side where there is room
  panels: Panel[];
}

export interface PageData {
  name: string;
  variants: string[];
  colors: Record<Exclude<Meaning, 'series'>, string> & {
    series: string[]; // by number
    heat: string[]; // from idle to nearly at the limit
  };
  charts: Chart[];
}

/** Whether a panel's x axis is simulated time: those panels move together. */
export function isOverTime(panel: Panel): boolean {
  return panel.bars === undefined && panel.x.title.includes('time');
}
