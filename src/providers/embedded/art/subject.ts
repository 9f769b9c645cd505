import { mix, oklch } from './color.ts'
import { type Palette, type PaletteName, paletteOfHue, palettes } from './palette.ts'
import type { Random } from './random.ts'

export type StyleName =
  | 'hills'
  | 'sea'
  | 'city'
  | 'woods'
  | 'space'
  | 'tiles'
  | 'facets'
  | 'ridges'
  | 'bloom'
  | 'ribbons'

export type MotifName =
  | 'balloon'
  | 'birds'
  | 'boat'
  | 'castle'
  | 'cat'
  | 'flower'
  | 'fox'
  | 'house'
  | 'lighthouse'
  | 'robot'
  | 'rocket'
  | 'tree'
  | 'whale'

/** What the prompt asks to see, as far as single words tell. */
export type Subject = {
  style: StyleName
  palette: Palette
  motifs: MotifName[]
  weather: 'clear' | 'rain' | 'snow'
  /** Stars and a moon instead of a sun. */
  night: boolean
  /** Mountains wherever the scene has a horizon. */
  peaks: boolean
}

const words = (list: string) => new Set(list.split(' '))

const styleWords: [StyleName, Set<string>][] = [
  [
    'city',
    words(
      'city cities skyline town street streets building buildings skyscraper skyscrapers tower towers urban downtown office tokyo paris london york berlin cyberpunk metropolis rooftop',
    ),
  ],
  [
    'space',
    words(
      'space planet planets galaxy galaxies cosmos cosmic orbit orbits nebula astronaut universe stars saturn mars jupiter rocket spaceship spacecraft satellite alien comet',
    ),
  ],
  [
    'sea',
    words(
      'sea ocean seas oceans beach coast island harbor harbour boat boats ship sailboat sailing sail lake river waves surf whale dolphin fish water lighthouse bay shore tropical',
    ),
  ],
  [
    'woods',
    words(
      'forest forests wood woods tree trees jungle pine pines fox deer bear owl wolf moss fern woodland cabin path',
    ),
  ],
  [
    'bloom',
    words(
      'flower flowers garden rose roses bloom blossom blossoms petal petals bouquet tulip lotus mandala sunflower butterfly',
    ),
  ],
  [
    'tiles',
    words(
      'pattern patterns tile tiles tiling mosaic geometric geometry bauhaus grid quilt wallpaper circuit',
    ),
  ],
  ['facets', words('crystal crystals gem diamond glass polygon poly lowpoly prism ice origami')],
  [
    'ridges',
    words(
      'music sound song audio signal noise rhythm jazz piano guitar concert podcast data chart report quarterly business finance growth market analytics',
    ),
  ],
  [
    'ribbons',
    words(
      'abstract dream dreams aurora silk smoke gradient energy flow fluid calm serenity love emotion wind background liquid',
    ),
  ],
  [
    'hills',
    words(
      'mountain mountains hill hills landscape valley desert dune dunes canyon field fields meadow countryside farm village castle alps volcano horizon sky sunset sunrise balloon snow cat dog horse house robot road savanna vineyard',
    ),
  ],
]

const paletteWords: [PaletteName, Set<string>][] = [
  ['aurora', words('aurora borealis northern')],
  ['neon', words('neon cyberpunk synthwave vaporwave futuristic disco')],
  ['sunset', words('sunset dusk evening twilight golden romantic savanna')],
  ['dawn', words('dawn sunrise morning')],
  ['night', words('night midnight moon moonlight moonlit starry dark nocturnal owl')],
  ['storm', words('storm stormy rain rainy thunder thunderstorm tempest gloomy')],
  ['winter', words('winter snow snowy ice icy frozen frost glacier arctic christmas cold alps')],
  ['autumn', words('autumn fall october harvest leaves pumpkin fox')],
  ['blossom', words('spring blossom blossoms cherry sakura flower flowers rose roses love petal')],
  ['desert', words('desert dune dunes sand sahara canyon mars egypt')],
  ['fire', words('fire flame flames volcano lava dragon hell burning autumnal')],
  ['space', words('space galaxy nebula cosmos cosmic universe planet planets astronaut alien')],
  ['gold', words('gold luxury luxurious elegant royal treasure whisky jewelry')],
  ['retro', words('retro vintage 70s seventies jazz bauhaus poster nostalgic')],
  ['candy', words('candy pastel cute sweet baby unicorn dreamy dream kawaii toy')],
  ['mono', words('monochrome grayscale greyscale minimal minimalist ink sketch noir')],
  [
    'forest',
    words('forest jungle woods tree trees garden meadow tea nature plant plants fern moss'),
  ],
  ['ocean', words('ocean sea beach underwater island tropical whale dolphin lake water surf')],
  ['dawn', words('calm peaceful serene quiet')],
  ['day', words('day noon sunny summer bright happy')],
]

type Color = { hue: number; chroma: number; lightness: number }

const namedColors: Record<string, Color> = {
  red: { hue: 27, chroma: 0.21, lightness: 0.6 },
  crimson: { hue: 20, chroma: 0.21, lightness: 0.5 },
  orange: { hue: 55, chroma: 0.18, lightness: 0.72 },
  yellow: { hue: 95, chroma: 0.17, lightness: 0.85 },
  green: { hue: 148, chroma: 0.17, lightness: 0.62 },
  emerald: { hue: 160, chroma: 0.15, lightness: 0.6 },
  teal: { hue: 190, chroma: 0.11, lightness: 0.58 },
  turquoise: { hue: 192, chroma: 0.12, lightness: 0.75 },
  cyan: { hue: 205, chroma: 0.13, lightness: 0.78 },
  blue: { hue: 255, chroma: 0.19, lightness: 0.55 },
  navy: { hue: 262, chroma: 0.12, lightness: 0.3 },
  indigo: { hue: 275, chroma: 0.19, lightness: 0.45 },
  purple: { hue: 305, chroma: 0.2, lightness: 0.52 },
  violet: { hue: 295, chroma: 0.2, lightness: 0.55 },
  magenta: { hue: 335, chroma: 0.24, lightness: 0.6 },
  pink: { hue: 355, chroma: 0.15, lightness: 0.78 },
  brown: { hue: 55, chroma: 0.08, lightness: 0.42 },
  black: { hue: 270, chroma: 0.02, lightness: 0.18 },
  white: { hue: 90, chroma: 0.01, lightness: 0.97 },
  gray: { hue: 260, chroma: 0.015, lightness: 0.62 },
  grey: { hue: 260, chroma: 0.015, lightness: 0.62 },
}
// A map, because a prompt may well say "constructor".
const colorWords = new Map(Object.entries(namedColors))

const motifWords: [MotifName, Set<string>][] = [
  ['lighthouse', words('lighthouse')],
  ['boat', words('boat boats ship sailboat sailing sail yacht harbor harbour regatta')],
  ['balloon', words('balloon balloons')],
  ['rocket', words('rocket spaceship spacecraft launch astronaut')],
  ['robot', words('robot robots android machine droid')],
  ['fox', words('fox foxes')],
  ['whale', words('whale whales')],
  ['castle', words('castle palace fortress kingdom')],
  ['cat', words('cat cats kitten kitty')],
  ['house', words('house home cabin cottage hut farm village')],
  ['flower', words('tulip sunflower poppy daisy')],
  ['tree', words('tree oak willow')],
  ['birds', words('bird birds seagull seagulls swallow geese flying')],
]

const abstractStyles = ['tiles', 'facets', 'ridges', 'bloom', 'ribbons'] as const
const sceneStyles = ['hills', 'sea', 'city', 'woods'] as const
const everyStyle = [...sceneStyles, 'space', ...abstractStyles] as const satisfies StyleName[]

/** Reads the words of a prompt; where they say nothing, chance decides. */
export function readSubject(prompt: string, random: Random): Subject {
  const said =
    prompt
      .slice(0, 4000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const find = <T>(table: [T, Set<string>][]) =>
    table.filter(([, set]) => said.some((word) => set.has(word))).map(([name]) => name)
  const motifs = find(motifWords).slice(0, 2)
  const fallback = random.pick(motifs.length > 0 ? sceneStyles : everyStyle)
  const style = find(styleWords)[0] ?? fallback
  const moods = find(paletteWords)
  const colors = said.flatMap((word) => colorWords.get(word) ?? [])
  const weather = said.some((word) => word.startsWith('snow'))
    ? 'snow'
    : said.some((word) => /^(rain|storm|thunder)/.test(word))
      ? 'rain'
      : 'clear'
  const peaks = said.some((word) => /^(mountain|alp|peak|volcano|fjord|cliff)/.test(word))
  const palette = choosePalette(moods[0], colors, style, random)
  const night =
    moods.some((name) => nightNames.has(name)) || nightPalettes.some((known) => known === palette)
  // The flower's own style is one great flower already.
  const shown = motifs.filter((name) => name !== 'flower' || style !== 'bloom')
  return { style, palette, motifs: shown, weather, night, peaks }
}

const nightNames = new Set<PaletteName>(['night', 'space', 'neon', 'aurora'])
const nightPalettes: readonly Palette[] = [...nightNames].map((name) => palettes[name])

function choosePalette(
  mood: PaletteName | undefined,
  [color, other]: Color[],
  style: StyleName,
  random: Random,
): Palette {
  const show = ({ lightness, chroma, hue }: Color) => oklch(lightness, chroma, hue)
  const drawn = random.pick(usualPalettes[style])
  if (!color) return palettes[mood ?? drawn]
  // Two colours are the picture. One beside a mood ("a red boat at sunset") belongs to a thing.
  if (other) return twoColors(color, show(other))
  return mood
    ? { ...palettes[mood], accent: show(color) }
    : paletteOfHue(color.hue, color.chroma, color.lightness)
}

function twoColors({ hue, chroma, lightness }: Color, other: string): Palette {
  const base = paletteOfHue(hue, chroma, lightness)
  const [top, middle, low] = base.sky
  return {
    ...base,
    sky: [top, mix(middle, other, 0.5), mix(other, low, 0.35)],
    accent: other,
    second: mix(base.far, other, 0.5),
  }
}

type Names = readonly [PaletteName, ...PaletteName[]]
const usualPalettes: Record<StyleName, Names> = {
  hills: ['sunset', 'dawn', 'day', 'night', 'autumn', 'desert', 'retro'],
  sea: ['ocean', 'sunset', 'dawn', 'night', 'day'],
  city: ['night', 'sunset', 'neon', 'dawn', 'retro'],
  woods: ['forest', 'autumn', 'dawn', 'winter', 'night'],
  space: ['space', 'night', 'neon'],
  tiles: ['retro', 'candy', 'ocean', 'blossom', 'forest', 'day'],
  facets: ['ocean', 'sunset', 'winter', 'space', 'candy', 'fire'],
  ridges: ['night', 'neon', 'gold', 'space', 'fire'],
  bloom: ['blossom', 'candy', 'autumn', 'forest', 'sunset'],
  ribbons: ['space', 'candy', 'ocean', 'sunset', 'neon', 'blossom'],
}
