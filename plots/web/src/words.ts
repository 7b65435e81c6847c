// Numbers as people read them, and elements with text that is never markup.

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== '') {
    made.className = className;
  }
  if (text !== '') {
    made.textContent = text;
  }
  return made;
}

/** About three significant digits, thousands grouped. */
export function short(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || size === Math.round(size) ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
  const fixed = value.toFixed(digits);
  return digits === 0 ? fixed.replace(/\B(?=(\d{3})+$)/g, ',') : fixed;
}

export function withUnit(value: number, unit: string): string {
  return unit === '' ? short(value) : `${short(value)} ${unit}`;
}

export function percent(share: number): string {
  return `${short(Math.round(share * 1000) / 10)} %`;
}

/** Below a second in ms. */
export function duration(ms: number): string {
  return ms >= 1000 ? withUnit(ms / 1000, 's') : withUnit(ms, 'ms');
}
