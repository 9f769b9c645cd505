import { sourceFiles } from './source-files.ts'

/** The folders of src/ that a folder may import besides itself. All others are forbidden. */
const allowed: Record<string, string[]> = {
  'config.ts': ['core'],
  core: [],
  store: ['core'],
  outbound: ['core'],
  media: ['core', 'store'],
  providers: ['core'],
  graph: ['core'],
  backup: ['core', 'store', 'media'],
  tracing: ['core'],
  auth: ['core', 'store'],
  engine: ['core', 'store', 'providers', 'outbound', 'media', 'graph'],
  api: ['core', 'store', 'auth', 'graph'],
  // The workflow skill lists the node types from the table itself.
  agents: ['core', 'http', 'api', 'graph/types/table.ts'],
  compat: ['core', 'http', 'api', 'auth/bearer.ts'],
  http: ['core', 'auth', 'media', 'api'],
  // Shipped to browsers and older versions of Node. Its types are generated, so it imports nothing.
  client: [],
  // The client, and what commands need to examine a server on this machine or to help its owner.
  cli: [
    'app/owner-access.ts',
    'app/server-accounts.ts',
    'core',
    'client',
    'config',
    'auth/issuers-file.ts',
    'providers/models-file.ts',
    'providers/prices-file.ts',
    'providers/builtin-models.ts',
    'store/db.ts',
    'store/tables/server-facts.ts',
    'store/sqlite/connection.ts',
    'store/postgres/database.ts',
    'store/postgres/pooler-check.ts',
    'store/secret-keys.ts',
    // Commands on the data itself, which app/ wires together like a server.
    'app/backup.ts',
    'app/restore.ts',
    'app/migrate-store.ts',
    'app/scrub-media.ts',
  ],
}

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

/** Only app/, the doctor and tests may choose a database driver or a provider adapter. */
const joinersOnly =
  /^(store\/(sqlite|postgres)|providers\/(openai|anthropic|gemini|fal|replicate|demo)\/)/

export const checkImports = (): string[] => [...checkServer(), ...checkConsole()]

function checkServer(): string[] {
  return sourceFiles('src/**/*.ts').flatMap(({ path, text }) => {
    const folder = path.split('/')[1] ?? ''
    const isJoiner = folder === 'app' || path === 'src/main.ts'
    const rules = allowed[folder]
    if (!rules && !isJoiner) return [`${path}: folder "${folder}" has no import rule`]
    return importsOf(text).flatMap((target) =>
      problemOf({ path, folder, isJoiner, rules: rules ?? [] }, target),
    )
  })
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/from '([^']+)'|import\('([^']+)'\)|import '([^']+)'/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )

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

type Importer = { path: string; folder: string; isJoiner: boolean; rules: string[] }

function problemOf({ path, folder, isJoiner, rules }: Importer, target: string): string[] {
  if (target.startsWith('../') && isInside(path, target)) return []
  if (target.startsWith('../')) return [`${path}: "${target}" leaves its folder; use a # path`]
  if (!target.startsWith('#') || isJoiner) return []
  const wanted = target.slice(1)
  const to = wanted.split('/')[0] ?? ''
  if (to === folder) return []
  if (joinersOnly.test(wanted) && path !== 'src/cli/doctor/database.ts')
    return [`${path}: only src/app may import ${wanted}`]
  const isAllowed = rules.some((rule) => rule === to || rule === wanted)
  return isAllowed ? [] : [`${path}: ${folder} must not import ${wanted}`]
}

/** `../x` from a file two levels deep stays inside its folder of src/. */
const isInside = (path: string, target: string): boolean =>
  path.split('/').length - 1 - (target.match(/\.\.\//g)?.length ?? 0) >= 2
