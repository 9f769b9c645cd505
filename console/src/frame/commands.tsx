import { useNavigate } from '@tanstack/react-router'
import { Activity, Compass, KeyRound, Link2, Settings, Webhook } from 'lucide-react'
import { useState } from 'react'
import { useCommands } from '#console/lib/commands.ts'
import { useTheme } from '#console/lib/theme.ts'
import { useStartTour, useTour } from '#console/shared/tour.ts'
import { CommandPalette } from '#console/ui/command-palette.tsx'
import type { Command } from '#console/ui/match-commands.ts'
import { sections } from './sections.ts'
import { useFound } from './use-found.ts'

/** Places that are no sections. */
const places = [
  {
    to: '/runs/live',
    label: 'Live',
    Icon: Activity,
    keywords: 'queue running waiting retrying now',
    shortcut: 'g l',
  },
  {
    to: '/developer/webhooks',
    label: 'Webhooks',
    Icon: Webhook,
    keywords: 'deliveries secret callback',
  },
  {
    to: '/developer/connect',
    label: 'Connect',
    Icon: Link2,
    keywords: 'curl sdk openai mcp skills client javascript',
  },
  {
    to: '/settings/account',
    label: 'Account and limits',
    Icon: Settings,
    keywords: 'settings password spend',
  },
] as const

/** The search: sections, commands of the current screen, and what is found on the server. */
export function Commands({ open, onClose }: { open: boolean; onClose(): void }) {
  const navigate = useNavigate()
  const choose = useTheme((state) => state.choose)
  const own = useCommands((state) => state.items)
  const [tour] = useTour()
  const start = useStartTour()
  const [query, setQuery] = useState('')
  const { found, isSearching } = useFound(open, query)
  const commands: Command[] = [
    ...own,
    ...sections.map(({ to, label, Icon, key }) => ({
      id: to,
      label,
      group: 'Go to',
      icon: <Icon size={16} aria-hidden />,
      shortcut: `g ${key}`,
      run: () => void navigate({ to }),
    })),
    ...places.map(({ to, Icon, ...place }) => ({
      ...place,
      id: to,
      group: 'Go to',
      icon: <Icon size={16} aria-hidden />,
      run: () => void navigate({ to }),
    })),
    {
      id: 'new key',
      label: 'New API key',
      group: 'Actions',
      icon: <KeyRound size={16} aria-hidden />,
      run: () => void navigate({ to: '/developer/keys', search: { new: true } }),
    },
    {
      id: 'tour',
      label: tour.workflowId === null ? 'Take the tour' : 'Resume the tour',
      group: 'Actions',
      icon: <Compass size={16} aria-hidden />,
      keywords: 'help start learn guide',
      run: () => start.mutate(),
    },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme ${theme}`,
      label: `Theme: ${theme}`,
      group: 'Actions',
      run: () => choose(theme),
    })),
    ...found,
  ]
  return (
    <CommandPalette
      open={open}
      onClose={onClose}
      commands={commands}
      onQuery={setQuery}
      placeholder="Search and commands"
      isSearching={isSearching}
    />
  )
}
