import type { ComponentProps } from 'react'
import { cx } from '#console/lib/cx.ts'
import { controlClass } from './control-class.ts'

export function TextInput({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input type={type} {...rest} className={cx(controlClass, 'min-h-9', className)} />
}
