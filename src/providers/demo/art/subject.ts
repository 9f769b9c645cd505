// Reads from a prompt what can be drawn. Only words that name a thing outright count: a prompt
// whose subject is not among them becomes a poster of its own words, never another motif.
import { anyOf, inShadesOf, mix, type PaletteName, paletteNames, palettes } from './palette.ts'
import type { Random } from './random.ts'

const places = {
  city: anyOf('cit(y|ies)|skylines?|skyscrapers?|downtown|metropolis|cyberpunk|都市|城市'),
  sea: anyOf(
    'seas?|seaside|oceans?|beach(es)?|coast|shores?|islands?|harbou?rs?|(?<!sound |heat )waves?|meer|大海|海辺',
  ),
  landscape: anyOf(
    'mountains?|hills?|landscapes?|valleys?|deserts?|dunes?|meadows?|countryside|volcano|canyons?|alps|forests?|wood(s|land)|jungle|pines|lakes?|rivers?|ponds?|berge?|wald|montagnes?|forêt|montañas?|bosque|雪山|富士山|の山|森林',
  ),
}

const things = {
  lighthouse: anyOf('lighthouses?|leuchtturm|phare|faro|灯台|灯塔'),
  boat: anyOf('(sail)?boats?|(a|the|old|tall|pirate) ship|yachts?|bateau|barco'),
  house: anyOf('(?<!white |open )houses?(?! music)|cabins?|cottages?|huts?|casa'),
}

/** Where each thing is shown if the prompt names no place. */
const homes = { lighthouse: 'sea', boat: 'sea', house: 'landscape' } as const

const { winter, storm, desert } = palettes
const weathers = { snow: winter.words, rain: storm.words, mist: anyOf('misty?|fog(gy)?') }

const reliefs = {
  peaks: anyOf('mountains?|alps|berge?|montagnes?|montañas?|雪山|富士山|の山'),
  dunes: desert.words,
}

const usualMoods = ['day', 'dawn', 'sunset', 'ocean'] as const
const posterMoods = [...usualMoods, 'forest', 'night', 'autumn', 'pastel', 'retro'] as const

/** These also colour the ground when the hour or the weather decides the sky. */
const seasons: readonly PaletteName[] = ['winter', 'autumn', 'desert', 'forest', 'ocean']

const colors = new Map(
  `red #d62f3e, crimson #a5182f, orange #f07a24, yellow #f3c623, gold #d8ad4f, green #2f9e5a, emerald #0f8f68,
  teal #128a8c, turquoise #2fbfb8, blue #2563c9, navy #1b2a5e, indigo #4338a8, purple #7d3cae, violet #8355d8,
  magenta #cf2f96, pink #f08cae, brown #7a4a2b, black #17171c, white #f4f1ea, gray #8b8f98, grey #8b8f98`
    .split(/,\s+/)
    .map((pair): [string, string] => [pair.slice(0, -8), pair.slice(-7)]),
)

export type Subject = ReturnType<typeof readSubject>

export function readSubject(prompt: string, random: Random) {
  // Long prompts say at the start what they are about.
  const text = prompt.slice(0, 400)
  const says = (words: RegExp) => words.test(text)
  const said = <T extends string>(table: Record<T, RegExp>) =>
    (Object.keys(table) as T[]).filter((name) => says(table[name]))
  const shown = said(things).slice(0, 2)
  const home = shown[0] ? homes[shown[0]] : says(anyOf('sun(set|rise)s?')) ? 'landscape' : 'poster'
  const place = said(places)[0] ?? home
  const moods = paletteNames.filter((name) => says(palettes[name].words))
  const [mood = random.pick(place === 'poster' ? posterMoods : usualMoods)] = moods
  return {
    place,
    things: shown,
    palette: choosePalette([mood, ...moods], place, text),
    /** Stars and a moon instead of a sun. */
    isNight: mood === 'night' || mood === 'neon',
    weather: said(weathers)[0] ?? 'clear',
    relief: said(reliefs)[0] ?? 'hills',
    hasTrees: says(anyOf('forests?|wood(s|land)|jungle|pines?|wald|forêt|bosque|森林')),
    hasLake: says(anyOf('lakes?|rivers?|ponds?')) || shown.includes('boat'),
  } as const
}

function choosePalette(moods: [PaletteName, ...PaletteName[]], place: string, text: string) {
  const air = palettes[moods[0]]
  const { far, near } = palettes[moods.find((name) => seasons.includes(name)) ?? moods[0]]
  const palette = { ...air, far: mix(air.far, far, 0.4), near: mix(air.near, near, 0.3) }
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const [color] = words.flatMap((word) => colors.get(word) ?? [])
  if (!color) return palette
  // Without a scene, the colour is all there is to show; in a scene, it belongs to a thing.
  return place === 'poster' ? inShadesOf(color, palette) : { ...palette, accent: color }
}
