import { type PortType, portLook } from '#console/lib/port-looks.ts'

/** The shape of a port type, beside its name. */
export function PortMark({ type }: { type: PortType }) {
  const { path, colour } = portLook(type)
  return (
    <svg width={12} height={12} viewBox="0 0 12 12" aria-hidden className="shrink-0">
      <path d={path} fill={colour} fillRule="evenodd" />
    </svg>
  )
}
