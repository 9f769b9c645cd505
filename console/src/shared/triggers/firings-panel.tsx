import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Firing, Trigger } from '#console/api/types.ts'
import { asleep, RunStatus } from '#console/shared/run-status.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SidePanel } from '#console/ui/side-panel.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'
import { listFirings } from './calls.ts'
import { reasonWords } from './firing-words.ts'

const readEveryMs = 5_000

/** What a trigger did: each firing with its run, or why there is none and what helps. */
export function FiringsPanel({ trigger, onClose }: { trigger: Trigger; onClose(): void }) {
  const query = useQuery({
    queryKey: ['triggers', 'firings', trigger.triggerId],
    queryFn: async ({ signal }) => (await listFirings(trigger, signal)).items,
    refetchInterval: readEveryMs,
  })
  return (
    <SidePanel title={`Firings of ${trigger.name}`} onClose={onClose}>
      <Loadable
        query={query}
        skeleton={<SkeletonRows />}
        isEmpty={(firings) => firings.length === 0}
        empty={<Empty title="It has not fired yet" />}
      >
        {(firings) => (
          <ul>
            {firings.map((firing) => (
              <FiringRow key={firing.firingId} firing={firing} />
            ))}
          </ul>
        )}
      </Loadable>
    </SidePanel>
  )
}

function FiringRow({ firing }: { firing: Firing }) {
  const { runId, runStatus, runIsWaiting, reason, message, count } = firing
  return (
    <li className="border-line border-b py-3 last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        {runId && runStatus ? (
          <Link to="/runs/$runId" params={{ runId }} className="hover:underline">
            <RunStatus status={runStatus} waitingFor={runIsWaiting && asleep} />
          </Link>
        ) : (
          <Status
            kind={reason ? 'warn' : 'waiting'}
            label={reason ? reasonWords[reason].label : 'Waits for the run before'}
          />
        )}
        <span className="text-soft text-sm">
          <When at={firing.scheduledAt} />
          {count > 1 && ` · ${count} times`}
        </span>
      </div>
      {reason && (
        <p className="mt-1 text-soft text-sm">
          {message} {reasonWords[reason].remedy}
        </p>
      )}
    </li>
  )
}
