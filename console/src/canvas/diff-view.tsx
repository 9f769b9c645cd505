import { counted } from '#console/lib/counted.ts'
import { cx } from '#console/lib/cx.ts'
import { Badge } from '#console/ui/badge.tsx'
import type { GraphDiff, NodeDiff } from './diff.ts'
import { type NodeTypes, settingTitle, typeInfo } from './node-types.ts'

const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const

/** What changed, node by node: added, removed, changed with before and after. */
export function DiffView({ diff, types }: { diff: GraphDiff; types: NodeTypes }) {
  if (diff.nodes.length === 0) {
    return (
      <p className="text-soft">
        {diff.moved > 0 ? `Only moved: ${counted(diff.moved, 'node')}.` : 'No differences.'}
      </p>
    )
  }
  return (
    <>
      <ul className="flex flex-col gap-3">
        {diff.nodes.map((node) => (
          <li key={node.nodeId} className="min-w-0">
            <div className="flex flex-wrap items-center gap-2">
              <Badge tone={tones[node.kind]}>{node.kind}</Badge>
              <span className="font-semibold">
                {node.label === node.nodeId ? typeInfo(types, node.type)?.label : node.label}
              </span>
              <code className="text-soft text-xs">{node.nodeId}</code>
            </div>
            <Changes node={node} types={types} />
          </li>
        ))}
      </ul>
      {diff.moved > 0 && (
        <p className="mt-3 text-soft text-sm">Also moved: {counted(diff.moved, 'node')}.</p>
      )}
    </>
  )
}

function Changes({ node, types }: { node: NodeDiff; types: NodeTypes }) {
  if (node.changes.length === 0) return null
  return (
    <dl className="mt-1 flex flex-col gap-2 border-line border-l-2 pl-3 text-sm">
      {node.changes.map(({ path, before, after }) => (
        <div key={path} className="min-w-0">
          <dt className="text-soft text-xs">{settingTitle(types, node.type, path)}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            {before !== undefined && <Side as="del" value={before} />}
            {after !== undefined && <Side as="ins" value={after} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const sides = {
  del: { word: 'Before', sign: '−', ground: 'bg-cut', ink: 'text-bad' },
  ins: { word: 'After', sign: '+', ground: 'bg-add', ink: 'text-good' },
}

/** Not struck out or underlined: texts are long, and are read in full. */
function Side({ as: Element, value }: { as: keyof typeof sides; value: unknown }) {
  const { word, sign, ground, ink } = sides[Element]
  return (
    <Element className={cx('flex gap-2 px-2 py-0.5 no-underline', ground)}>
      <span aria-hidden className={cx('font-mono', ink)}>
        {sign}
      </span>
      <span className="sr-only">{word}:</span>
      <span className="min-w-0 whitespace-pre-wrap">{textOf(value)}</span>
    </Element>
  )
}

const longest = 400

export const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
