import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { DiscoveredEndpoint } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { locale } from '#console/lib/locale.ts'
import { Button } from '#console/ui/button.tsx'
import { Checkbox } from '#console/ui/checkbox.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { toast } from '#console/ui/toasts.ts'

/** What the operator's servers have and this one does not list. Nothing changes before Add. */
export function DiscoverDialog({ onClose }: { onClose(): void }) {
  const query = useQuery({
    queryKey: ['discovery'],
    queryFn: async ({ signal }) => (await consoleCall('GET /server/discovery', { signal })).items,
    // What was found before may be out of date: each look asks again.
    gcTime: 0,
    retry: false,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      size="medium"
      title="Find models"
      description="Asks the endpoints in MODELS_FILE which models they have. Nothing is generated, and nothing changes before you add one."
    >
      <Loadable
        query={query}
        skeleton={<SkeletonRows rows={3} />}
        isEmpty={(endpoints) => endpoints.length === 0}
        empty={<p>MODELS_FILE names no endpoint yet.</p>}
      >
        {(endpoints) => (
          <div className="flex flex-col gap-6">
            {endpoints.map((endpoint) => (
              <Endpoint key={endpoint.name} endpoint={endpoint} onAdded={onClose} />
            ))}
          </div>
        )}
      </Loadable>
      <p className="mt-6 text-soft text-sm">
        A new endpoint is added on the server’s machine, because it may be in a private network:{' '}
        <code className="[overflow-wrap:anywhere]">{command}</code>{' '}
        <Copy text={command} label="Copy the command" />
      </p>
    </Dialog>
  )
}

const command = 'atelier models discover http://127.0.0.1:11434 --write'

function Endpoint({ endpoint, onAdded }: { endpoint: DiscoveredEndpoint; onAdded(): void }) {
  const { name, baseUrl, problem, added, known, gone } = endpoint
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [isFree, setFree] = useState(false)
  const client = useQueryClient()
  const ids = added.map(({ id }) => id).filter((id) => !left.has(id))
  const add = useMutation({
    mutationFn: () =>
      consoleCall('POST /server/discovery', { body: { endpoint: name, ids, free: isFree } }),
    onSuccess: () => {
      toast(`${counted(ids.length, 'model')} added`, 'Calls can name them in a few seconds.')
      void client.invalidateQueries()
      onAdded()
    },
  })
  return (
    <section aria-label={name} className="flex flex-col gap-2">
      <h3 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
        {name}
        <span className="font-normal text-soft text-sm [overflow-wrap:anywhere]">{baseUrl}</span>
      </h3>
      {problem ? (
        <p className="text-bad">{problem}</p>
      ) : (
        <p className="text-soft text-sm">
          {[`${added.length} new`, `${known} listed here already`, ...goneWords(gone)].join(' · ')}
        </p>
      )}
      {added.map((model) => (
        <Checkbox
          key={model.id}
          label={<span className="[overflow-wrap:anywhere]">{model.id}</span>}
          hint={factsOf(model)}
          checked={!left.has(model.id)}
          onChange={() => setLeft(left.symmetricDifference(new Set([model.id])))}
        />
      ))}
      {added.length > 0 && (
        <>
          <Checkbox
            className="border-line border-t pt-3"
            label="They cost nothing"
            hint="Without a price, models are refused under a spend limit."
            checked={isFree}
            onChange={({ target }) => setFree(target.checked)}
          />
          {add.error && <Failure failure={toApiFailure(add.error)} />}
          <Button
            variant="primary"
            className="self-start"
            disabled={ids.length === 0}
            busy={add.isPending}
            onClick={() => add.mutate()}
          >
            Add {counted(ids.length, 'model')}
          </Button>
        </>
      )}
    </section>
  )
}

const goneWords = (gone: readonly string[]) =>
  gone.length === 0 ? [] : [`no longer there: ${gone.join(', ')}`]

const count = new Intl.NumberFormat(locale)

/** "Text · 8,192 tokens of context · reads images" */
const factsOf = ({ kind, maxInputTokens, inputs }: DiscoveredEndpoint['added'][number]): string =>
  [
    kind === 'EMBEDDING' ? 'Embeddings' : 'Text',
    ...(maxInputTokens === null ? [] : [`${count.format(maxInputTokens)} tokens of context`]),
    ...inputs.map((input) => `reads ${input}s`),
  ].join(' · ')
