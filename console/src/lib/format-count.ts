import { locale } from './locale.ts'

const numbers = new Intl.NumberFormat(locale)

/** `12,345`. */
export const formatCount = (count: number): string => numbers.format(count)
