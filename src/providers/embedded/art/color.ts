// Colours are mixed in OKLab, where halfway between two colours also looks halfway.

type Lab = { l: number; a: number; b: number }

const toLinear = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
const toGamma = (channel: number) =>
  channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055

function parse(hex: string): Lab {
  const value = Number.parseInt(hex.slice(1), 16)
  const r = toLinear((value >> 16) / 255)
  const g = toLinear(((value >> 8) & 0xff) / 255)
  const b = toLinear((value & 0xff) / 255)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  }
}

function channels({ l, a, b }: Lab): number[] {
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
    -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
  ]
}

function print(lab: Lab): string {
  const digits = channels(lab).map((channel) => {
    const byte = Math.round(toGamma(Math.min(1, Math.max(0, channel))) * 255)
    return byte.toString(16).padStart(2, '0')
  })
  return `#${digits.join('')}`
}

/** `share` 0 is `from`, 1 is `to`. */
export function mix(from: string, to: string, share: number): string {
  const a = parse(from)
  const b = parse(to)
  const blend = (x: number, y: number) => x + (y - x) * share
  return print({ l: blend(a.l, b.l), a: blend(a.a, b.a), b: blend(a.b, b.b) })
}

/** Lightness 0–1, chroma 0–0.37, hue in degrees; chroma gives way where the screen cannot follow. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180
  for (let c = chroma; ; c *= 0.9) {
    const lab = { l: lightness, a: c * Math.cos(angle), b: c * Math.sin(angle) }
    const shown = channels(lab).every((channel) => channel > -0.001 && channel < 1.001)
    if (shown || c < 0.005) return print(lab)
  }
}
