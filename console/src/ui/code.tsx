import { useRef } from 'react'
import { cx } from '#console/lib/cx.ts'
import { Copy } from './copy.tsx'

type CodeProps = {
  text: string
  /** What this is ("curl", "JSON"), read out with the copy button. */
  label: string
  /** Long lines wrap instead of scrolling sideways. */
  wrap?: boolean
  className?: string
}

export function Code({ text, label, wrap = false, className }: CodeProps) {
  const pre = useRef<HTMLPreElement>(null)
  const select = () => {
    if (pre.current) getSelection()?.selectAllChildren(pre.current)
  }
  return (
    <section aria-label={label} className={cx('relative min-w-0 rounded-sm bg-sunken', className)}>
      <pre
        ref={pre}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className={cx(
          'mr-11 overflow-auto py-3 pl-4 text-sm',
          wrap ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre',
        )}
      >
        {text}
      </pre>
      <div className="absolute top-2 right-2">
        <Copy text={text} label={`Copy ${label}`} select={select} />
      </div>
    </section>
  )
}
