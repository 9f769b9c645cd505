import { memo, useState } from 'react'
import { Code } from '#console/ui/code.tsx'
import { type Block, createMarkdownReader } from './lex-markdown.ts'
import { blockElement } from './markdown-elements.ts'

const parts = { Code }

/** Markdown as elements. The text may grow: blocks that are complete are not drawn again. */
export function Markdown({ text }: { text: string }) {
  const [read] = useState(createMarkdownReader)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {read(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks only grow at the end
        <Drawn key={index} block={block} />
      ))}
    </div>
  )
}

const Drawn = memo(
  ({ block }: { block: Block }) => <>{blockElement(block, parts)}</>,
  (before, after) =>
    before.block.raw === after.block.raw && before.block.level === after.block.level,
)
