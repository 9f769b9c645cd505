const channelsOf = (hex: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

/** `share` 0 is `from`, 1 is `to`; both are written #rrggbb. */
export function mix(from: string, to: string, share: number): string {
  const target = channelsOf(to)
  const bytes = channelsOf(from).map((value, i) => value + ((target[i] ?? 0) - value) * share)
  return `#${bytes.map((byte) => Math.round(byte).toString(16).padStart(2, '0')).join('')}`
}

/** From 0, black, to 1, white, about as the eye judges it. */
export function lightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(hex)
  return (0.3 * red + 0.59 * green + 0.11 * blue) / 255
}
