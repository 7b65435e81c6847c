// Colours of both themes. Series keep their hue; what is too dark for a dark page is lightened.
import type { Meaning, PageData } from './chart';

export interface Theme {
  dark: boolean;
  text: string;
  soft: string;
  grid: string;
  surface: string;
  color(meaning: Meaning, number: number): string;
  /** Of a heat map's cell: a fraction of the limit, and whether something was refused there. */
  heat(value: number, refused: boolean): string;
}

type Channels = [number, number, number];

function channels(hex: string): Channels {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function mix(from: Channels, to: Channels, share: number): Channels {
  const at = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * share);
  return [at(0), at(1), at(2)];
}

function css(color: Channels): string {
  return `rgb(${color.join(',')})`;
}

/** As bright as it must be to be seen on a dark page, of the same hue. */
function onDark(hex: string): string {
  let color = channels(hex);
  while (0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] < 125) {
    color = mix(color, [255, 255, 255], 0.12);
  }
  return css(color);
}

export function makeTheme(data: PageData, dark: boolean): Theme {
  const shown = (hex: string): string => (dark ? onDark(hex) : hex);
  const { colors } = data;
  const heat = colors.heat.map((hex, i) =>
    dark
      ? css(mix([29, 38, 49], [150, 208, 246], (i / (colors.heat.length - 1)) ** 0.8 * 0.9))
      : hex,
  );
  return {
    dark,
    text: dark ? '#E7EBF0' : '#1B2430',
    soft: dark ? '#9AA5B4' : '#5B6675',
    grid: dark ? '#2B3440' : '#E3E8EE',
    surface: dark ? '#14181F' : '#FFFFFF',
    color: (meaning, number) =>
      shown(
        meaning === 'series'
          ? (colors.series[number % colors.series.length] ?? '#777777')
          : colors[meaning],
      ),
    heat: (value, refused) =>
      refused || value >= 1
        ? colors.throttled
        : (heat[Math.round(Math.max(0, value) * (heat.length - 1))] ?? '#777777'),
  };
}

const STORED = 'partsim-theme';

/** What the reader chose last, else what the system prefers. */
export function prefersDark(): boolean {
  try {
    const stored = localStorage.getItem(STORED);
    if (stored !== null) {
      return stored === 'dark';
    }
  } catch {
    // a page from disk may not be allowed to remember anything
  }
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

export function remember(dark: boolean): void {
  try {
    localStorage.setItem(STORED, dark ? 'dark' : 'light');
  } catch {
    // then it is forgotten
  }
}
