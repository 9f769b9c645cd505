// Reads from a prompt what can be drawn. Only words that name a thing outright count: a prompt
// whose subject is not among them becomes a poster of its own words, never another motif.
import { onGround, type Palette, type PaletteName, paletteAround, palettes } from './palette.ts'
import type { Random } from './random.ts'

const places = {
  city: /\b(?:cit(?:y|ies)|skylines?|skyscrapers?|downtown|metropolis|cyberpunk)\b|都市|城市/iu,
  sea: /\b(?:seas?|seaside|oceans?|beach(?:es)?|coast|islands?|harbou?rs?|(?<!sound |heat )waves?|meer)\b|大海|海辺/iu,
  landscape:
    /\b(?:mountains?|hills?|landscapes?|valleys?|deserts?|dunes?|meadows?|countryside|alps|forests?|woods|woodland|jungle|pines|lakes?|rivers?|sunsets?|sunrises?|berge?|wald|montagnes?|forêt|montañas?|bosque)\b|雪山|富士山|の山|森林/iu,
}

const things = {
  lighthouse: /\b(?:lighthouses?|leuchtturm|phare|faro)\b|灯台|灯塔/iu,
  boat: /\b(?:(?:sail)?boats?|(?:a|the|old|tall|pirate) ship|yachts?|bateau|barco)\b/i,
  house: /\b(?:(?<!white |open )houses?(?! music)|cabins?|cottages?|huts?|casa)\b/i,
}

const weathers = { snow: /\bsnow/i, rain: /\b(?:rain|storm)/i, mist: /\b(?:mist|fog)/i }

const reliefs = {
  peaks: /\b(?:mountains?|alps|berge?|montagnes?|montañas?)\b|雪山|富士山|の山/iu,
  dunes: /\b(?:deserts?|dunes?|sahara)\b/i,
}

/** The first that is said counts. */
const moods = {
  neon: /\b(?:neon|cyberpunk|synthwave|disco)\b/i,
  sunset: /\b(?:sunsets?|dusk|evening|twilight|golden hour|abend|soir|atardecer)\b/i,
  dawn: /\b(?:dawn|sunrise|mornings?|morgen|matin)\b/i,
  night: /\b(?:nights?|midnight|moon(?:lit|light)?|starry|galaxy|dark|nacht|nuit|noche)\b|夜/iu,
  storm: /\b(?:storm[sy]?|rain[sy]?|thunder(?:storm)?|gloomy|regen|pluie)\b/i,
  day: /\b(?:daylight|noon|sunny|summer|bright)\b/i,
  winter: /\b(?:winter|snow[sy]?|icy?|frozen|frost|arctic|schnee|neige)\b|雪/iu,
  autumn: /\b(?:autumn|october|harvest|herbst|automne)\b|秋/iu,
  desert: reliefs.dunes,
  forest: /\b(?:forests?|jungle|woods|woodland|gardens?|meadows?|green hills|nature)\b/i,
  ocean: /\b(?:underwater|tropical|oceans?|beach(?:es)?)\b/i,
  retro: /\b(?:retro|vintage|seventies|70s|bauhaus|jazz|bold)\b/i,
  pastel: /\b(?:pastel|candy|cute|dreamy|kawaii|watercolou?rs?|spring)\b/i,
  mono: /\b(?:monochrome|gr[ae]yscale|minimal(?:ist)?|ink|sketch|noir|marble)\b|水墨/iu,
} satisfies Record<PaletteName, RegExp>

/** These colour the ground, whatever the hour and the weather make of the sky. */
const grounds: readonly PaletteName[] = ['winter', 'autumn', 'desert', 'forest', 'ocean']

export type Place = keyof typeof places | 'poster'
export type ThingName = keyof typeof things

export type Subject = {
  place: Place
  /** At most two. */
  things: ThingName[]
  palette: Palette
  /** Stars and a moon instead of a sun. */
  isNight: boolean
  weather: keyof typeof weathers | 'clear'
  relief: keyof typeof reliefs | 'hills'
  hasTrees: boolean
  hasLake: boolean
}

const usualMoods = ['day', 'dawn', 'sunset', 'ocean'] as const
const posterMoods = [...usualMoods, 'forest', 'night', 'autumn', 'pastel', 'retro'] as const

const colors = new Map(
  `red #d62f3e, crimson #a5182f, orange #f07a24, yellow #f3c623, gold #d8ad4f, green #2f9e5a,
  teal #128a8c, turquoise #2fbfb8, blue #2563c9, navy #1b2a5e, purple #7d3cae, violet #8355d8,
  pink #f08cae, brown #7a4a2b, black #17171c, white #f4f1ea, gray #8b8f98, grey #8b8f98`
    .split(/,\s+/)
    .map((pair): [string, string] => [pair.slice(0, -8), pair.slice(-7)]),
)

/** Long prompts say first what they are about. */
const maxReadLength = 400

export function readSubject(prompt: string, random: Random): Subject {
  const text = prompt.slice(0, maxReadLength)
  const says = (words: RegExp) => words.test(text)
  const said = <T extends string>(table: Record<T, RegExp>) =>
    (Object.keys(table) as T[]).filter((name) => says(table[name]))
  const shown = said(things).slice(0, 2)
  const home = shown[0] === 'house' ? 'landscape' : shown[0] && 'sea'
  const place = said(places)[0] ?? home ?? 'poster'
  return {
    place,
    things: shown,
    ...choosePalette(place, said(moods), text, random),
    weather: said(weathers)[0] ?? 'clear',
    relief: said(reliefs)[0] ?? 'hills',
    hasTrees: says(/\b(?:forests?|woods|woodland|jungle|pines?|wald|forêt|bosque)\b|森林/iu),
    hasLake: says(/\b(?:lakes?|rivers?|boats?)\b/i),
  }
}

function choosePalette(place: Place, said: readonly PaletteName[], text: string, random: Random) {
  const [mood = random.pick(place === 'poster' ? posterMoods : usualMoods)] = said
  const ground = grounds.includes(mood) ? undefined : said.find((name) => grounds.includes(name))
  const isNight = mood === 'night' || mood === 'neon'
  const palette = ground ? onGround(palettes[mood], palettes[ground]) : palettes[mood]
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const [color, other] = words.flatMap((word) => colors.get(word) ?? [])
  if (!color) return { isNight, palette }
  // Without a scene the colour is all there is to show; in a scene it belongs to a thing.
  if (place === 'poster') return { isNight, palette: paletteAround(other ?? color, other && color) }
  return { isNight, palette: { ...palette, accent: color } }
}
