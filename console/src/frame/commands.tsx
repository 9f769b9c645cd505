import { useNavigate } from '@tanstack/react-router'
import { KeyRound, Link2, Settings, Webhook } from 'lucide-react'
import { useState } from 'react'
import { useCommands } from '#console/lib/commands.ts'
import { useTheme } from '#console/lib/theme.ts'
import { CommandPalette } from '#console/ui/command-palette.tsx'
import type { Command } from '#console/ui/match-commands.ts'
import { sections } from './sections.ts'
import { useFound } from './use-found.ts'

/** The search: sections, commands of the current screen, and what is found on the server. */
export function Commands({ open, onClose }: { open: boolean; onClose(): void }) {
  const navigate = useNavigate()
  const choose = useTheme((state) => state.choose)
  const own = useCommands((state) => state.items)
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
    {
      id: 'webhooks',
      label: 'Webhooks',
      group: 'Go to',
      icon: <Webhook size={16} aria-hidden />,
      keywords: 'deliveries secret callback',
      run: () => void navigate({ to: '/developer/webhooks' }),
    },
    {
      id: 'connect',
      label: 'Connect',
      group: 'Go to',
      icon: <Link2 size={16} aria-hidden />,
      keywords: 'curl sdk openai mcp skills client javascript',
      run: () => void navigate({ to: '/developer/connect' }),
    },
    {
      id: 'new key',
      label: 'New API key',
      group: 'Actions',
      icon: <KeyRound size={16} aria-hidden />,
      run: () => void navigate({ to: '/developer/keys', search: { new: true } }),
    },
    {
      id: 'account',
      label: 'Account and limits',
      group: 'Go to',
      icon: <Settings size={16} aria-hidden />,
      keywords: 'settings password spend',
      run: () => void navigate({ to: '/settings/account' }),
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
      note={isSearching ? 'Searching…' : undefined}
    />
  )
}
