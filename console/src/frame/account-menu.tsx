import { useNavigate } from '@tanstack/react-router'
import {
  BookOpen,
  Check,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Settings,
  Sun,
  User,
  Users,
} from 'lucide-react'
import { signOut, useSession } from '#console/api/session.ts'
import { type Theme, useTheme } from '#console/lib/theme.ts'
import { LazyMenu } from '#console/ui/lazy-menu.tsx'
import { toast } from '#console/ui/toasts.ts'

const themes: { theme: Theme; label: string; Icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', Icon: Monitor },
  { theme: 'light', label: 'Light', Icon: Sun },
  { theme: 'dark', label: 'Dark', Icon: Moon },
]

export function AccountMenu({ onShortcuts }: { onShortcuts(): void }) {
  const navigate = useNavigate()
  const email = useSession().data?.session?.user.email
  const { theme, choose } = useTheme()
  const leave = () =>
    signOut().then(
      () => navigate({ to: '/sign-in', reloadDocument: true }),
      (error: Error) => toast('You are still signed in', error.message),
    )
  return (
    <LazyMenu
      trigger={
        <button
          type="button"
          aria-label="Account"
          className="flex size-8 shrink-0 items-center justify-center rounded-full border border-line bg-card text-soft transition-colors hover:border-control hover:text-ink pointer-coarse:size-11"
        >
          <User size={16} aria-hidden />
        </button>
      }
      items={[
        ...(email ? [{ heading: email }] : []),
        {
          label: 'Account and security',
          icon: <Settings size={16} aria-hidden />,
          onSelect: () => void navigate({ to: '/settings/account' }),
        },
        {
          label: 'Members',
          icon: <Users size={16} aria-hidden />,
          onSelect: () => void navigate({ to: '/settings/members' }),
        },
        {
          label: 'API reference',
          icon: <BookOpen size={16} aria-hidden />,
          onSelect: () => location.assign('/docs'),
        },
        {
          label: 'Keyboard shortcuts',
          icon: <Keyboard size={16} aria-hidden />,
          shortcut: '?',
          onSelect: onShortcuts,
        },
        { separator: true },
        { heading: 'Theme' },
        ...themes.map((item) => ({
          label: item.label + (item.theme === theme ? ' (current)' : ''),
          icon:
            item.theme === theme ? (
              <Check size={16} aria-hidden />
            ) : (
              <item.Icon size={16} aria-hidden />
            ),
          onSelect: () => choose(item.theme),
        })),
        { separator: true },
        { label: 'Sign out', icon: <LogOut size={16} aria-hidden />, onSelect: () => void leave() },
      ]}
    />
  )
}
