import type { Operation } from '#api/operation.ts'

export type KnownPath = { path: string; methods: string[]; isPublic: boolean }

export type PathTable = {
  /** The entry for this path, or undefined if nothing is served there. */
  find(pathname: string): KnownPath | undefined
  /**
   * Methods a literal path does not have but a route with a parameter would match:
   * `GET /workflows/validate` must be 405, not the workflow "validate".
   */
  shadowed: { path: string; method: string; allow: string }[]
}

type Routed = Pick<Operation<never>, 'method' | 'path' | 'scope'>

/** `session` surfaces serve our own pages only, so none of their paths is open to other origins. */
type Routes = { prefix: string; operations: readonly Routed[]; access: 'bearer' | 'session' }

export function createPathTable(surfaces: Routes[], fixed: KnownPath[] = []): PathTable {
  const known = new Map<string, KnownPath>(fixed.map((entry) => [entry.path, entry]))
  for (const { prefix, operations, access } of surfaces) {
    for (const { method, path, scope } of operations) {
      const full = prefix + path
      const entry = known.get(full) ?? {
        path: full,
        methods: [],
        isPublic: access === 'bearer' && scope === 'public',
      }
      entry.methods.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]))
      known.set(full, entry)
    }
  }
  const isTemplate = (path: string) => path.includes('{')
  const templates = [...known.values()]
    .filter(({ path }) => isTemplate(path))
    .map((entry) => ({
      entry,
      pattern: new RegExp(`^${entry.path.replace(/\{\w+(\*?)\}/g, segments)}$`),
    }))
  const shadowed = [...known.values()]
    .filter(({ path }) => !isTemplate(path))
    .flatMap((fixed) =>
      templates
        .filter(({ pattern }) => pattern.test(fixed.path))
        .flatMap(({ entry }) => entry.methods)
        .filter((method) => !fixed.methods.includes(method))
        .map((method) => ({ path: fixed.path, method, allow: fixed.methods.join(', ') })),
    )
  return {
    find: (pathname) =>
      known.get(pathname) ?? templates.find(({ pattern }) => pattern.test(pathname))?.entry,
    shadowed,
  }
}

/** A name such as `{model*}` may contain slashes. */
const segments = (_: string, star: string): string => (star ? '.+' : '[^/]+')
