import {
  cloneElement,
  lazy,
  type MouseEvent,
  type ReactElement,
  Suspense,
  useRef,
  useState,
} from 'react'
import type { MenuProps } from './menu.tsx'

const load = () => import('./menu.tsx')
const Menu = lazy(async () => ({ default: (await load()).Menu }))

type Trigger = ReactElement<{
  onClick?: (event: MouseEvent) => void
  onPointerEnter?: () => void
  onFocus?: () => void
  'aria-haspopup'?: 'menu'
}>

/**
 * A menu that is a plain button until it is used. Its code is loaded then, or when the pointer or the
 * focus comes near, so that neither the first screen nor a long table pays for menus nobody opens.
 */
export function LazyMenu({ trigger, ...menu }: MenuProps & { trigger: Trigger }) {
  const [wasUsed, setUsed] = useState(false)
  const isLoading = useRef(false)
  if (wasUsed)
    return (
      <Suspense fallback={trigger}>
        <Menu {...menu} trigger={trigger} defaultOpen />
      </Suspense>
    )
  const near = () => {
    if (!isLoading.current) void load()
    isLoading.current = true
  }
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    onClick: () => setUsed(true),
    onPointerEnter: near,
    onFocus: near,
  })
}
