import { posix } from 'node:path'
import { sourceFiles } from './source-files.ts'

type Rules = Record<string, string[]>

/** What a room of src/ may import besides itself and core, top floor first. */
const rooms: Rules = {
  'main.ts': ['app', 'operate', 'config.ts'],
  cli: ['client', 'operate', 'config.ts', 'main.ts'],
  app: [
    ...['compat', 'agents', 'operate', 'http', 'api', 'engine', 'auth', 'media', 'graph'],
    ...['providers', 'store', 'outbound', 'config.ts'],
  ],
  compat: ['http', 'api', 'auth/bearer.ts'],
  // The workflow skill lists the node types from the table itself.
  agents: ['http', 'api', 'graph/types/table.ts'],
  operate: ['http', 'auth', 'media', 'store', 'providers', 'config.ts'],
  http: ['api', 'auth', 'media'],
  api: ['auth', 'graph', 'store'],
  // What the engine needs from storage is one page.
  engine: ['media', 'graph', 'isolation', 'providers', 'outbound', 'store/engine-store.ts'],
  auth: ['store'],
  media: ['store', 'isolation'],
  graph: ['isolation'],
  isolation: [],
  providers: [],
  store: [],
  outbound: [],
  'config.ts': [],
  core: [],
  // Shipped to browsers and older versions of Node; its types are generated.
  client: [],
}

const adapters = ['openai', 'anthropic', 'gemini', 'fal', 'replicate', 'demo']

/** The same between the folders of one room. Files beside the folders are its "root". */
const folders: Record<string, Rules> = {
  compat: {
    routes: ['openai', 'anthropic', 'gemini', 'root'],
    openai: ['root'],
    anthropic: ['root'],
    gemini: ['root'],
    root: [],
  },
  api: { console: ['public', 'root'], public: ['root'], root: [] },
  engine: {
    runs: ['batches', 'tasks', 'calls', 'work'],
    batches: ['calls', 'work'],
    tasks: ['calls', 'work'],
    deliveries: ['work'],
    triggers: [],
    calls: [],
    work: [],
  },
  graph: {
    expressions: ['estimates', 'validation', 'plan', 'types', 'node'],
    estimates: ['validation', 'plan', 'types', 'node'],
    validation: ['plan', 'types', 'node'],
    templates: ['plan', 'types', 'node'],
    plan: ['types', 'node'],
    types: ['node'],
    node: [],
  },
  providers: {
    configured: [...adapters, 'root'],
    ...Object.fromEntries(adapters.map((adapter) => [adapter, ['root']])),
    discovery: ['price-lists', 'root'],
    root: ['price-lists'],
    'price-lists': [],
  },
}

/** Parts of a room that are only for some of those who may import the room. */
const reserved: { part: RegExp; importers: RegExp }[] = [
  // The operator's side opens databases; the others are given one.
  { part: /^store\/(sqlite|postgres)\//, importers: /^(operate|store\/(sqlite|postgres))\// },
  // Who is signed in matters to the console's operations only.
  { part: /^auth\//, importers: /^(?!api\/(public\/|[^/]+$))/ },
  // Which adapter is used is decided in one place.
  { part: new RegExp(`^providers/(${adapters.join('|')})/`), importers: /^providers\// },
  // A browser may import the graph, but nothing can be isolated there.
  { part: /^graph\/expressions\//, importers: /^(graph|engine|api|app)\// },
]

/** The same for console/src. It runs in a browser and may import only pure code of the server. */
const allowedInConsole: Record<string, string[]> = {
  lib: ['#core'],
  api: ['#client', 'lib'],
  ui: ['lib'],
  shared: ['api', 'ui', 'lib'],
  'browser-nodes': ['api', 'ui', 'lib', 'shared'],
  canvas: ['#core', '#graph', 'api', 'ui', 'lib', 'shared', 'browser-nodes'],
  frame: ['api', 'ui', 'lib', 'shared'],
  screens: ['api', 'ui', 'lib', 'shared', 'canvas', 'browser-nodes'],
}

export const checkImports = (): string[] => [...checkServer(), ...checkConsole()]

function checkServer(): string[] {
  return sourceFiles('src/**/*.{ts,mjs}').flatMap(({ path, text }) => {
    const from = path.slice('src/'.length)
    if (!rooms[roomOf(from)]) return [`${path}: room "${roomOf(from)}" has no import rule`]
    return importsOf(text).flatMap((target) => problemOf(from, target))
  })
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/from '([^']+)'|import\('([^']+)'\)|import '([^']+)'/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )

const roomOf = (path: string): string => path.split('/')[0] ?? ''
const folderOf = (path: string): string => {
  const [, folder = '', file] = path.split('/')
  return file === undefined ? 'root' : folder
}

function problemOf(from: string, target: string): string[] {
  const isAlias = target.startsWith('#')
  if (!isAlias && !target.startsWith('.')) return []
  const wanted = isAlias ? aliased(target) : posix.join(posix.dirname(from), target)
  const room = roomOf(from)
  if (!isAlias && roomOf(wanted) !== room)
    return [`src/${from}: "${target}" leaves its room; use a # path`]
  const isAllowed = roomOf(wanted) === room ? isInRoom(from, wanted) : isAbove(room, wanted)
  const isReserved = reserved.some(
    ({ part, importers }) => part.test(wanted) && !importers.test(from),
  )
  return isAllowed && !isReserved ? [] : [`src/${from}: must not import ${wanted}`]
}

const aliased = (target: string): string => (target === '#config' ? 'config.ts' : target.slice(1))

function isInRoom(from: string, wanted: string): boolean {
  const [folder, other] = [folderOf(from), folderOf(wanted)]
  const rules = folders[roomOf(from)]
  return !rules || folder === other || (rules[folder]?.includes(other) ?? false)
}

const isAbove = (room: string, wanted: string): boolean =>
  (roomOf(wanted) === 'core' && room !== 'client') ||
  (rooms[room] ?? []).some((rule) => rule === roomOf(wanted) || rule === wanted)

/** Screens do not import each other. Code that two screens need belongs in shared/. */
function checkConsole(): string[] {
  return sourceFiles('console/src/**/*.{ts,tsx}').flatMap(({ path, text }) => {
    const [folder = '', screen = ''] = path.split('/').slice(2)
    // main.tsx and router.tsx may import everything.
    if (folder.includes('.')) return []
    const rules = allowedInConsole[folder]
    if (!rules) return [`${path}: folder "${folder}" has no import rule`]
    const own = folder === 'screens' ? `screens/${screen}/` : `${folder}/`
    return importsOf(text).flatMap((target) => {
      if (target.startsWith('../')) return [`${path}: "${target}" climbs; use a # path`]
      if (!target.startsWith('#')) return []
      const wanted = target.replace('#console/', '')
      const to = wanted.split('/')[0] ?? ''
      if (wanted.startsWith(own) || rules.includes(to)) return []
      return [`${path}: ${folder} must not import ${wanted}`]
    })
  })
}
