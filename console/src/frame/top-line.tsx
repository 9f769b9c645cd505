import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { keyName } from '#console/lib/platform.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { AccountMenu } from './account-menu.tsx'
import { Bell } from './bell.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { GoKeys } from './go-keys.tsx'

// Loaded when first opened, so that the first screen does not wait for them.
const Commands = lazy(async () => ({ default: (await import('./commands.tsx')).Commands }))
const ShortcutList = lazy(async () => ({
  default: (await import('./shortcut-list.tsx')).ShortcutList,
}))

export function TopLine() {
  const [isSearching, setSearching] = useState(false)
  const [isListing, setListing] = useState(false)
  useShortcut('Mod+K', 'Search and commands', () => setSearching(true), { group: 'Everywhere' })
  useShortcut('?', 'This list', () => setListing(true), { group: 'Everywhere' })
  return (
    <header className="sticky top-0 z-10 flex h-12 items-center gap-3 border-line border-b bg-paper px-4 md:px-8">
      <Breadcrumb />
      <button
        type="button"
        onClick={() => setSearching(true)}
        className="ml-auto flex h-8 items-center gap-2 rounded-sm border border-line bg-card px-3 text-soft text-sm transition-colors hover:border-control hover:text-ink pointer-coarse:h-11"
      >
        <Search size={14} aria-hidden />
        <span className="max-sm:sr-only">Search</span>
        <kbd className="text-xs max-md:hidden">{keyName('Mod+K')}</kbd>
      </button>
      <Bell />
      <AccountMenu onShortcuts={() => setListing(true)} />
      <GoKeys />
      <Suspense>
        {isSearching && <Commands open onClose={() => setSearching(false)} />}
        {isListing && <ShortcutList open onClose={() => setListing(false)} />}
      </Suspense>
    </header>
  )
}
