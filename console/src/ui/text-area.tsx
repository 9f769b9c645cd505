import type { ComponentProps } from 'react'
import { cx } from '#console/lib/cx.ts'
import { controlClass } from './control-class.ts'

/** Grows with its content if the browser supports that. */
export function TextArea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={rows}
      {...rest}
      className={cx(controlClass, 'field-sizing-content max-h-120 resize-y', className)}
    />
  )
}
