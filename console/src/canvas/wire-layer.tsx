import { ViewportPortal } from '@xyflow/react'
import type { WirePaths } from './wire-paths.ts'

type WireLayerProps = { paths: WirePaths; isChosen?(key: string): boolean }

/** All wires, below the nodes: idle wires as one path per type, each live wire as its own path. */
export const WireLayer = ({ paths, isChosen }: WireLayerProps) => (
  <ViewportPortal>
    <svg className="wires" aria-hidden>
      {[...paths.resting].map(([type, path]) => (
        <path key={type} d={path} data-type={type} className="wire" />
      ))}
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
