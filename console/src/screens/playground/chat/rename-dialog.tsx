import { useState } from 'react'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { chats } from './chats.ts'
import type { Conversation } from './turn-tree.ts'

type RenameDialogProps = { conversation: Conversation; onClose(): void }

export function RenameDialog({ conversation, onClose }: RenameDialogProps) {
  const [name, setName] = useState(conversation.name)
  const isGiven = name.trim() !== ''
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename"
      footer={
        <Button type="submit" form="rename" variant="primary" disabled={!isGiven}>
          Rename
        </Button>
      }
    >
      <form
        id="rename"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isGiven) return
          void chats.rename(conversation, name.trim())
          onClose()
        }}
      >
        <Field label="Name">
          {(control) => (
            <TextInput
              {...control}
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
