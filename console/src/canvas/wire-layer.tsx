import { ViewportPortal } from '@xyflow/react'
import { memo } from 'react'
import type { Position } from './graph.ts'
import type { JoinedPaths, WirePaths } from './wire-paths.ts'

type WireLayerProps = {
  paths: WirePaths & { carried?: JoinedPaths }
  /** How far the wires between dragged nodes have come. */
  by?: Position
  isChosen?(key: string): boolean
}

/** All wires, below the nodes: idle wires as one path per type, each live wire as its own path. */
export const WireLayer = ({ paths, by, isChosen }: WireLayerProps) => (
  <ViewportPortal>
    <svg className="wires" aria-hidden>
      <Joined paths={paths.resting} />
      {paths.carried && (
        <g transform={`translate(${by?.x ?? 0},${by?.y ?? 0})`}>
          <Joined paths={paths.carried} />
        </g>
      )}
      {paths.live.map(({ key, type, path }) => (
        <path
          key={key}
          d={path}
          data-type={type}
          className="wire wire-live"
          data-chosen={isChosen?.(key) || undefined}
        />
      ))}
    </svg>
  </ViewportPortal>
)

const Joined = memo(({ paths }: { paths: JoinedPaths }) =>
  [...paths].map(([type, path]) => <path key={type} d={path} data-type={type} className="wire" />),
)
