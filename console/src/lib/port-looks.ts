// How each port type looks: shape first, colour second. Not everyone can tell eight hues apart, so
// the shape alone must be enough.

export const portTypes = [
  'text',
  'number',
  'boolean',
  'image',
  'video',
  'json',
  'list',
  'any',
] as const
export type PortType = (typeof portTypes)[number]

/** Paths in a 12 by 12 box; `any` is a ring, so its path has a hole (fill rule evenodd). */
const paths: Record<PortType, string> = {
  text: 'M6 0.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z',
  number: 'M6 0.8L11.6 10.8H0.4z',
  boolean: 'M6 0.5a5.5 5.5 0 0 1 0 11z M6 0.5a5.5 5.5 0 0 0 0 11v-1.6a3.9 3.9 0 0 1 0-7.8z',
  image: 'M1 1h10v10H1z',
  video: 'M6 0L12 6L6 12L0 6z',
  json: 'M3 0.8h6L12 6L9 11.2H3L0 6z',
  list: 'M0.5 1h11v4h-11z M0.5 7h11v4h-11z',
  any: 'M6 0.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z M6 3.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6z',
}

export const portLook = (type: PortType): { path: string; colour: string } => ({
  path: paths[type],
  colour: `var(--port-${type})`,
})
