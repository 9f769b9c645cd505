import type { Node, NodeProps } from '@xyflow/react'
import { memo } from 'react'
import type { Note } from '#console/canvas/drawings.ts'

export type NoteNode = Node<{ note: Note }, 'note'>

/** A text for people beside the nodes. It is written in the panel beside the graph. */
export const NoteCard = memo(
  function NoteCard({ data: { note } }: NodeProps<NoteNode>) {
    return (
      <article
        id={`node-${note.id}`}
        aria-label={`Note: ${note.text || 'empty'}`}
        className="note-card"
      >
        {note.text || <span className="text-soft">Empty note</span>}
      </article>
    )
  },
  (before, after) => before.data === after.data,
)
