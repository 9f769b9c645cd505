import { useReactFlow } from '@xyflow/react'
import { Maximize, WandSparkles, ZoomIn, ZoomOut } from 'lucide-react'
import { IconButton } from '#console/ui/icon-button.tsx'
import type { Actions } from './actions.ts'
import { useReadOnly } from './context.ts'
import { wholeGraph } from './view-within.ts'

/** Zoom, fit and tidy, in a corner of the graph. */
export function ViewControls({ actions }: { actions: Actions }) {
  const flow = useReactFlow()
  const isReadOnly = useReadOnly()
  return (
    <div
      role="toolbar"
      aria-label="View"
      className="absolute bottom-3 left-3 z-5 flex rounded-sm border border-line bg-card"
    >
      <IconButton
        label="Zoom out"
        icon={<ZoomOut size={16} aria-hidden />}
        onClick={() => void flow.zoomOut({ duration: 120 })}
      />
      <IconButton
        label="Zoom in"
        icon={<ZoomIn size={16} aria-hidden />}
        onClick={() => void flow.zoomIn({ duration: 120 })}
      />
      <IconButton
        label="Show everything"
        shortcut="Shift+1"
        icon={<Maximize size={16} aria-hidden />}
        onClick={() => void flow.fitView(wholeGraph)}
      />
      {!isReadOnly && (
        <IconButton
          label="Tidy"
          shortcut="l"
          icon={<WandSparkles size={16} aria-hidden />}
          onClick={actions.tidy}
        />
      )}
    </div>
  )
}
