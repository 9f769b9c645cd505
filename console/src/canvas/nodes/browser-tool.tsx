import { lazy, Suspense, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Media } from '#console/api/types.ts'
import type { Frame } from '#console/browser-nodes/picture.ts'
import { uploadMedia } from '#console/canvas/calls.ts'
import { useSessionOf } from '#console/canvas/context.ts'
import { type GraphNode, setData } from '#console/canvas/graph.ts'
import { madeBy } from '#console/canvas/made.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { Button } from '#console/ui/button.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { usePictures } from './pictures.ts'

const Crop = lazy(async () => ({ default: (await import('#console/browser-nodes/crop.tsx')).Crop }))
const Mask = lazy(async () => ({ default: (await import('#console/browser-nodes/mask.tsx')).Mask }))
const Compare = lazy(async () => ({
  default: (await import('#console/browser-nodes/compare.tsx')).Compare,
}))

/** The tool inside a browser node. Dragging here paints or crops instead of moving the node. */
export function BrowserTool({ node }: { node: GraphNode }) {
  return (
    <div className="node-tool nodrag nopan nowheel">
      <Suspense fallback={null}>
        <Tool node={node} />
      </Suspense>
    </div>
  )
}

function Tool({ node }: { node: GraphNode }) {
  const { store, isReadOnly } = useSessionOf()
  const pictures = usePictures(node)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [isEditing, setEditing] = useState(false)
  const made = madeBy(node)
  const set = (label: string, settings: Record<string, unknown>) =>
    store.getState().editGraph({ label }, (graph) => {
      const now = graph.nodes.find((one) => one.id === node.id)
      return now ? setData(graph, node.id, { ...now.data, ...settings }) : graph
    })
  const onMade = async (result: Blob, settings: Record<string, unknown>) => {
    setBusy(true)
    setProblem(null)
    try {
      set(`Use ${node.id}`, { ...settings, made: await uploadMedia(result) })
      setEditing(false)
    } catch (error) {
      setProblem(toApiFailure(error).message)
    }
    setBusy(false)
  }
  const onFile = async (file: File | undefined) => {
    if (!file) return
    setBusy(true)
    try {
      set(`Choose a picture for ${node.id}`, { picture: await uploadMedia(file), made: undefined })
      setProblem(null)
    } catch (error) {
      setProblem(toApiFailure(error).message)
    }
    setBusy(false)
  }
  const [first, second] = pictures
  if (problem) {
    return (
      <div className="flex flex-col items-start gap-2 text-bad text-xs">
        {problem}
        <Button size="small" onClick={() => setProblem(null)}>
          Try again
        </Button>
      </div>
    )
  }
  if (node.type === 'browser.compare') {
    return first && second ? (
      <Compare first={first} second={second} />
    ) : (
      <p className="text-soft text-xs">Connect two pictures; after a run they are shown here.</p>
    )
  }
  if (node.type !== 'browser.crop' && node.type !== 'browser.mask') {
    return <p className="text-soft text-xs">This console has no tool of this name.</p>
  }
  if (isReadOnly) return made ? <Made media={made} onAgain={null} /> : null
  if (!first) return <ChoosePicture busy={isBusy} onFile={onFile} />
  if (made && !isEditing) return <Made media={made} onAgain={() => setEditing(true)} />
  return node.type === 'browser.crop' ? (
    <Crop src={first} busy={isBusy} onMade={onMade} frame={(node.data.crop as Frame) ?? null} />
  ) : (
    <Mask src={first} busy={isBusy} onMade={onMade} />
  )
}

function ChoosePicture({ busy, onFile }: { busy: boolean; onFile(file: File | undefined): void }) {
  return (
    <label className="flex h-full cursor-pointer flex-col items-center justify-center gap-1 rounded-sm border border-control border-dashed text-center text-xs">
      <span className="font-semibold">{busy ? 'Uploading…' : 'Choose a picture'}</span>
      <span className="text-soft">or run once, to use what comes in</span>
      <input
        type="file"
        accept="image/*"
        className="sr-only"
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </label>
  )
}

function Made({ media, onAgain }: { media: Media; onAgain: (() => void) | null }) {
  return (
    <div className="flex h-full flex-col gap-2">
      <Thumbnail
        src={mediaPath(media.url)}
        alt="The input this node gives the run"
        className="min-h-0 grow rounded-sm bg-sunken object-contain"
        gone={
          <p className="grow text-soft text-xs">The picture is no longer stored. Make it again.</p>
        }
      />
      <div className="flex items-center justify-between text-xs">
        <span className="text-good">Input of the run</span>
        {onAgain && (
          <Button size="small" onClick={onAgain}>
            Change
          </Button>
        )}
      </div>
    </div>
  )
}
