import { sourceFiles } from './source-files.ts'

/** Which folders of src/ a folder may import, besides itself. What is not named is forbidden. */
const allowed: Record<string, string[]> = {
  core: [],
  store: ['core'],
  outbound: ['core'],
  media: ['core', 'store'],
  providers: ['core'],
  nodes: ['core'],
  expressions: ['core', 'nodes'],
  templates: ['core', 'nodes'],
  auth: ['core', 'store'],
  engine: ['core', 'store', 'providers', 'outbound', 'media', 'nodes', 'expressions'],
  webhooks: ['core', 'store', 'outbound'],
  operations: ['core', 'store', 'nodes', 'providers/catalogue.ts'],
  developer: ['core', 'store', 'auth', 'operations', 'templates', 'nodes'],
  // The workflow skill tells what node types there are, from the table itself.
  agents: ['core', 'auth', 'operations', 'nodes/table.ts'],
  'openai-door': ['core', 'operations', 'providers/catalogue.ts'],
  http: ['core', 'auth', 'media', 'operations', 'developer', 'openai-door'],
  // Shipped to browsers and older Nodes: its types are generated, so it needs nothing.
  client: [],
  // The client as others get it, and what a server on this machine is examined with.
  cli: [
    'core',
    'client',
    'agents/mcp/stdio.ts',
    'config',
    'auth/issuers-file.ts',
    'providers/models-file.ts',
    'store/db.ts',
    'store/server-facts.ts',
    'store/sqlite-connection.ts',
    'store/postgres.ts',
  ],
}

/** Only the joining folder, the doctor and tests may choose a database or an adapter. */
const joinersOnly =
  /^(store\/(sqlite|postgres)|providers\/(openai|anthropic|gemini|fal|replicate|embedded)\/)/

export function checkImports(): string[] {
  return sourceFiles('src/**/*.ts').flatMap(({ path, text }) => {
    const folder = path.split('/')[1] ?? ''
    const isJoiner = folder === 'app' || path === 'src/main.ts'
    const rules = allowed[folder]
    if (!rules && !isJoiner && path !== 'src/config.ts')
      return [`${path}: folder "${folder}" has no import rule`]
    return [...text.matchAll(/from '([^']+)'|import\('([^']+)'\)/g)]
      .map((match) => match[1] ?? match[2] ?? '')
      .flatMap((target) => problemOf({ path, folder, isJoiner, rules: rules ?? [] }, target))
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
