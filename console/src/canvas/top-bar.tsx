import { CalendarClock, Ellipsis, History, Play, Plus, Redo2, Save, Undo2 } from 'lucide-react'
import { useMedia } from '#console/lib/use-media.ts'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { LazyMenu } from '#console/ui/lazy-menu.tsx'
import type { Actions } from './actions.ts'
import { useCanvas, useReadOnly, useSessionOf } from './context.ts'
import { Estimate } from './estimate.tsx'
import { SaveState } from './save-state.tsx'

export type TopBarProps = {
  actions: Actions
  isSaving: boolean
  view: 'graph' | 'list'
  onView(view: 'graph' | 'list'): void
  onSave(): void
  isRunOpen: boolean
  onRun(): void
  onAdd(): void
  onVersions: (() => void) | null
  onTriggers: (() => void) | null
  onJson(): void
  onExplain(): void
  /** Null while there is no workflow to call. */
  onCall: (() => void) | null
  onExport(): void
  onImport(): void
}

export function TopBar(props: TopBarProps) {
  const { actions, isSaving, isRunOpen, onSave, onRun, onAdd, onVersions, onTriggers } = props
  const session = useSessionOf()
  const isSaved = useCanvas((state) => state.history.doc === state.saved)
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-card px-3 py-1.5">
      <NameField />
      <SaveState />
      <div className="ml-auto flex flex-wrap items-center justify-end gap-1">
        <Estimate />
        {!session.isReadOnly && <EditButtons actions={actions} onAdd={onAdd} />}
        {onVersions && (
          <IconButton
            label="Versions"
            className="max-sm:hidden"
            icon={<History size={16} aria-hidden />}
            onClick={onVersions}
          />
        )}
        {onTriggers && (
          <IconButton
            label="Triggers"
            className="max-sm:hidden"
            icon={<CalendarClock size={16} aria-hidden />}
            onClick={onTriggers}
          />
        )}
        <MoreMenu {...props} />
        <May need="editor">
          <Button
            size="small"
            icon={<Save size={14} aria-hidden />}
            busy={isSaving}
            disabled={isSaved}
            onClick={onSave}
          >
            <span className="max-sm:sr-only">Save</span>
          </Button>
          <Button
            size="small"
            variant="primary"
            icon={<Play size={14} aria-hidden />}
            aria-expanded={isRunOpen}
            onClick={onRun}
          >
            Run
          </Button>
        </May>
      </div>
    </div>
  )
}

function EditButtons({ actions, onAdd }: Pick<TopBarProps, 'actions' | 'onAdd'>) {
  const canUndo = useCanvas((state) => state.history.past.length > 0)
  const canRedo = useCanvas((state) => state.history.future.length > 0)
  return (
    <>
      <IconButton
        label="Undo"
        shortcut="Mod+Z"
        icon={<Undo2 size={16} aria-hidden />}
        disabled={!canUndo}
        onClick={actions.undo}
      />
      <IconButton
        label="Redo"
        shortcut="Shift+Mod+Z"
        className="max-sm:hidden"
        icon={<Redo2 size={16} aria-hidden />}
        disabled={!canRedo}
        onClick={actions.redo}
      />
      <IconButton
        label="Add a node"
        shortcut="a"
        icon={<Plus size={16} aria-hidden />}
        onClick={onAdd}
      />
    </>
  )
}

function MoreMenu(props: TopBarProps) {
  const { actions, view, onView, onVersions, onTriggers } = props
  const { onJson, onExplain, onCall, onExport, onImport } = props
  const mayEdit = !useReadOnly()
  // A phone has no room for its button.
  const isPhone = useMedia('(width < 640px)')
  return (
    <LazyMenu
      trigger={
        <button
          type="button"
          aria-label="More"
          className="inline-flex size-8 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
        >
          <Ellipsis size={16} aria-hidden />
        </button>
      }
      items={[
        view === 'graph'
          ? { label: 'Show as a list', onSelect: () => onView('list') }
          : { label: 'Show as a graph', onSelect: () => onView('graph') },
        ...(mayEdit && isPhone ? [{ label: 'Redo', onSelect: actions.redo }] : []),
        ...(mayEdit ? [{ label: 'Tidy', shortcut: 'l', onSelect: actions.tidy }] : []),
        { label: 'Select all', shortcut: 'Mod+A', onSelect: actions.selectAll },
        ...(onVersions ? [{ label: 'Versions', onSelect: onVersions }] : []),
        ...(onTriggers ? [{ label: 'Triggers', onSelect: onTriggers }] : []),
        { label: 'Explain this graph', onSelect: onExplain },
        ...(onCall ? [{ label: 'Call from a terminal', onSelect: onCall }] : []),
        { separator: true },
        { label: 'Export JSON', onSelect: onExport },
        ...(mayEdit ? [{ label: 'Import JSON', onSelect: onImport }] : []),
        { label: 'View JSON', onSelect: onJson },
      ]}
    />
  )
}

function NameField() {
  const { store, isReadOnly } = useSessionOf()
  const name = useCanvas((state) => state.history.doc.name)
  return (
    <h1 className="min-w-0">
      <input
        aria-label="Name of the workflow"
        value={name}
        readOnly={isReadOnly}
        maxLength={200}
        placeholder="Untitled workflow"
        onChange={({ currentTarget: { value } }) =>
          store
            .getState()
            .edit({ label: 'Rename', burst: 'rename' }, (doc) => ({ ...doc, name: value }))
        }
        onBlur={() => store.getState().endBurst()}
        className="field-sizing-content min-h-8 min-w-32 max-w-full truncate rounded-sm border border-transparent bg-transparent px-2 font-semibold text-lg hover:border-line"
      />
    </h1>
  )
}
