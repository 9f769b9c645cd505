// Whether a node takes part in the reuse of earlier answers, and how old those may be.
import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'

/** Undefined: as the run says. */
export type NodeReuse = false | { readonly maxAgeSeconds: number } | undefined

const year = 31_536_000

const setting = {
  title: 'Reuse',
  anyOf: [
    { type: 'boolean', const: false },
    {
      type: 'object',
      properties: { maxAgeSeconds: { type: 'integer', minimum: 1, maximum: year } },
      required: ['maxAgeSeconds'],
      additionalProperties: false,
    },
  ],
  description:
    'For runs that reuse earlier answers: false never does here, {"maxAgeSeconds": n} only those that are not older.',
}

/** For every node that makes calls whose answers may be reused. */
export const ReuseSetting = Type.Optional(Type.Unsafe<NonNullable<NodeReuse> | false>(setting))

/** For requests to other systems, which may be answered anew each time: only if their author says so. */
export const OwnReuseSetting = Type.Optional(
  Type.Unsafe<NonNullable<NodeReuse> | false>({ ...setting, default: false }),
)

/** As the settings of a node say, if its type has this one. */
export function reuseOf(
  type: { readonly config: { readonly properties: { readonly reuse?: { default?: unknown } } } },
  { reuse = type.config.properties.reuse?.default }: Readonly<Record<string, unknown>>,
): NodeReuse {
  if (reuse === undefined || !('reuse' in type.config.properties)) return undefined
  if (reuse === false) return false
  if (!isRecord(reuse) || typeof reuse.maxAgeSeconds !== 'number') return undefined
  return { maxAgeSeconds: reuse.maxAgeSeconds }
}

/** What holds for a call inside two nodes: the stricter one. */
export function stricter(outer: NodeReuse, inner: NodeReuse): NodeReuse {
  if (outer === false || inner === false) return false
  if (!outer || !inner) return outer ?? inner
  return outer.maxAgeSeconds < inner.maxAgeSeconds ? outer : inner
}
