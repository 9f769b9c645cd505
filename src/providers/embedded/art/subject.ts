// Reads from a prompt what can be drawn. Only words that name a thing outright count: a prompt
// whose subject is not among them becomes a poster of its own words, never another motif.
import { mix } from './color.ts'
import { type Palette, type PaletteName, paletteAround, palettes } from './palette.ts'
import type { Random } from './random.ts'

const places = {
  city: /\b(?:cit(?:y|ies)|skylines?|skyscrapers?|downtown|metropolis|rooftops?|cyberpunk)\b|都市|城市/iu,
  sea: /\b(?:seas?|seaside|oceans?|beach(?:es)?|coast|islands?|harbou?rs?|(?<!sound |heat )waves?|shores?|tide|meer)\b|大海|海洋|海辺/iu,
  landscape:
    /\b(?:mountains?|hills?|landscapes?|valleys?|deserts?|dunes?|canyons?|meadows?|countryside|alps|volcano|forests?|woods|woodland|jungle|lakes?|rivers?|ponds?|puddles?|sunsets?|sunrises?|berge?|wald|montagnes?|forêt|montañas?|bosque)\b|雪山|森林/iu,
}

/** With the place each is shown in where the prompt names none. */
const things = {
  lighthouse: ['sea', /\b(?:lighthouses?|leuchtturm|phare|faro)\b|灯台|灯塔/iu],
  boat: [
    'sea',
    /\b(?:(?:sail)?boats?|ships|(?:a|the|old|tall|pirate) ship|yachts?|sailing|bateau|barco)\b/i,
  ],
  house: [
    'landscape',
    /\b(?:(?<!white |open )houses?(?! music)|cabins?|cottages?|huts?|maison|casa)\b/i,
  ],
  cat: ['room', /\b(?:cats?|kittens?|katzen?|gatos?)\b|猫/iu],
  cup: ['room', /\b(?:cups?|mugs?|coffee|espresso|tea|tasse|kaffee)\b|コーヒー|咖啡/iu],
  bicycle: ['room', /\b(?:bi(?:cycles?|kes?)|fahrrad|vélo|bicicleta)\b|自転車|自行车/iu],
} satisfies Record<string, [Place, RegExp]>

const moods = {
  neon: /\b(?:neon|cyberpunk|synthwave|vaporwave|disco)\b/i,
  sunset: /\b(?:sunsets?|dusk|evening|twilight|golden hour|abend|soir|atardecer)\b/i,
  dawn: /\b(?:dawn|sunrise|mornings?|morgen|matin)\b/i,
  night: /\b(?:nights?|midnight|moon(?:lit|light)?|starry|dark|nacht|nuit|noche)\b|夜/iu,
  storm: /\b(?:storm[sy]?|rain[sy]?|thunder(?:storm)?|gloomy|regen|pluie)\b/i,
  winter: /\b(?:winter|snow[sy]?|icy?|frozen|frost|glaciers?|arctic|schnee|neige)\b|雪/iu,
  autumn: /\b(?:autumn|october|harvest|herbst|automne)\b|秋/iu,
  desert: /\b(?:deserts?|dunes?|sahara|canyons?)\b/i,
  space: /\b(?:galax(?:y|ies)|nebula|cosmos|planets?|(?:outer|deep) space|astronauts?)\b/i,
  gold: /\b(?:gold|luxury|luxurious|elegant|royal)\b/i,
  retro: /\b(?:retro|vintage|seventies|70s|bauhaus|jazz|bold)\b/i,
  pastel: /\b(?:pastel|candy|cute|dreamy|kawaii|watercolou?rs?|spring)\b/i,
  mono: /\b(?:monochrome|gr[ae]yscale|minimal(?:ist)?|ink|sketch|noir|marble)\b/i,
  forest: /\b(?:forests?|jungle|woods|woodland|gardens?|meadows?|nature)\b/i,
  ocean: /\b(?:underwater|tropical|oceans?|beach(?:es)?)\b/i,
  day: /\b(?:daylight|noon|sunny|summer|bright)\b/i,
} satisfies Record<PaletteName, RegExp>

export type Place = keyof typeof places | 'room' | 'poster'
export type ThingName = keyof typeof things

export type Subject = {
  place: Place
  /** At most two. */
  things: ThingName[]
  palette: Palette
  /** Stars and a moon instead of a sun. */
  isNight: boolean
  weather: 'clear' | 'rain' | 'snow'
  relief: 'hills' | 'peaks' | 'dunes'
  hasTrees: boolean
  hasLake: boolean
}

const usualMoods: Record<Place, readonly [PaletteName, ...PaletteName[]]> = {
  landscape: ['day', 'dawn', 'sunset', 'forest'],
  sea: ['ocean', 'dawn', 'sunset', 'day'],
  city: ['night', 'sunset', 'dawn'],
  room: ['dawn', 'retro', 'pastel', 'forest', 'desert'],
  poster: ['sunset', 'dawn', 'day', 'ocean', 'forest', 'desert', 'night', 'pastel', 'retro'],
}

const nightMoods: readonly PaletteName[] = ['night', 'space', 'neon']

const colors = new Map(
  `red #d62f3e, crimson #a5182f, orange #f07a24, yellow #f3c623, green #2f9e5a, emerald #0f8f68,
  teal #128a8c, turquoise #2fbfb8, blue #2563c9, navy #1b2a5e, indigo #4338a8, purple #7d3cae,
  violet #8355d8, magenta #cf2f96, pink #f08cae, brown #7a4a2b, black #17171c, white #f4f1ea,
  gray #8b8f98, grey #8b8f98, rot #d62f3e, blau #2563c9, rouge #d62f3e, bleu #2563c9, azul #2563c9`
    .split(/,\s+/)
    .map((pair): [string, string] => [pair.slice(0, -8), pair.slice(-7)]),
)

/** Long prompts say first what they are about. */
const maxReadLength = 400

/** The names of all entries whose words the text says, in the order of the table. */
const namesIn = <T extends string>(text: string, table: Record<T, RegExp>): T[] =>
  (Object.keys(table) as T[]).filter((name) => table[name].test(text))

export function readSubject(prompt: string, random: Random): Subject {
  const text = prompt.slice(0, maxReadLength)
  const says = (words: RegExp) => words.test(text)
  const shown = (Object.keys(things) as ThingName[])
    .filter((name) => says(things[name][1]))
    .slice(0, 2)
  const [thing] = shown
  const place = namesIn(text, places)[0] ?? (thing ? things[thing][0] : 'poster')
  const said = (text.toLowerCase().match(/\p{L}+/gu) ?? []).flatMap(
    (word) => colors.get(word) ?? [],
  )
  const palette = choosePalette(place, namesIn(text, moods)[0], said, random)
  return {
    place,
    things: shown,
    palette,
    isNight: nightMoods.some((name) => palette.sky === palettes[name].sky),
    weather: says(/\bsnow/i) ? 'snow' : says(/\b(?:rain(?:y|ing)?|storm)/i) ? 'rain' : 'clear',
    relief: says(/\b(?:mountains?|alps|volcano|berge?|montagnes?)\b|雪山/iu)
      ? 'peaks'
      : says(moods.desert)
        ? 'dunes'
        : 'hills',
    hasTrees: says(/\b(?:forests?|woods|woodland|jungle|wald|forêt|bosque)\b|森林/iu),
    hasLake: says(/\b(?:lakes?|rivers?|ponds?|puddles?|boats?)\b/i),
  }
}

function choosePalette(
  place: Place,
  mood: PaletteName | undefined,
  [color, other]: readonly string[],
  random: Random,
): Palette {
  const usual = palettes[mood ?? random.pick(usualMoods[place])]
  if (!color) return usual
  // Without a scene the colour is all there is to show; in a scene it belongs to a thing.
  if (place === 'poster') return paletteAround(other ?? color, other && color)
  return { ...usual, accent: color, second: other ?? mix(usual.second, color, 0.25) }
}
