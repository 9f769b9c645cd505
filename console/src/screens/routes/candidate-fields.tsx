import { ArrowUp, Plus, Trash2 } from 'lucide-react'
import type { CatalogueModel } from '#console/api/types.ts'
import { demosLast, modelOption } from '#console/shared/model-facts.ts'
import { Button } from '#console/ui/button.tsx'
import { Combobox } from '#console/ui/combobox.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import type { Candidate, Problems } from './route-draft.ts'

const most = 16
const routed = ['TEXT', 'CODE', 'IMAGE', 'VIDEO']
const mediumOf = (kind: string) => (kind === 'CODE' ? 'TEXT' : kind)

type CandidateFieldsProps = {
  candidates: readonly Candidate[]
  models: readonly CatalogueModel[]
  isWeighted: boolean
  problems: Problems['candidates']
  onChange(candidates: readonly Candidate[]): void
}

/** The models of a route, the preferred one first. */
export function CandidateFields(props: CandidateFieldsProps) {
  const { candidates, onChange } = props
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-semibold text-sm">Models</legend>
      {candidates.map((candidate, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and may be equal
        <CandidateRow key={index} {...props} candidate={candidate} index={index} />
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus size={14} aria-hidden />}
          disabled={candidates.length >= most}
          onClick={() => onChange([...candidates, { model: null, weight: '1' }])}
        >
          Add a model
        </Button>
      </div>
    </fieldset>
  )
}

type RowProps = CandidateFieldsProps & { candidate: Candidate; index: number }

function CandidateRow({ candidate, index, ...all }: RowProps) {
  const { candidates, models, isWeighted, problems, onChange } = all
  const problem = problems.get(index)
  const replace = (next: Candidate) => onChange(candidates.with(index, next))
  const moveUp = () => {
    const before = candidates[index - 1]
    if (before) onChange(candidates.with(index - 1, candidate).with(index, before))
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-1">
        <div className="min-w-0 grow">
          <Combobox
            aria-label={`Model ${index + 1}`}
            aria-invalid={problem ? true : undefined}
            size="wide"
            placeholder="Type to find a model"
            options={optionsFor(models, candidates)}
            value={candidate.model}
            onChange={(model) => replace({ ...candidate, model })}
          />
        </div>
        {isWeighted && (
          <div className="w-16 shrink-0">
            <TextInput
              aria-label={`Weight of model ${index + 1}`}
              inputMode="numeric"
              value={candidate.weight}
              onChange={({ target }) => replace({ ...candidate, weight: target.value })}
            />
          </div>
        )}
        <IconButton
          label={`Move model ${index + 1} up`}
          icon={<ArrowUp size={16} aria-hidden />}
          disabled={index === 0}
          onClick={moveUp}
        />
        <IconButton
          label={`Remove model ${index + 1}`}
          icon={<Trash2 size={16} aria-hidden />}
          disabled={candidates.length === 1}
          onClick={() => onChange(candidates.toSpliced(index, 1))}
        />
      </div>
      {problem && <FieldProblem id={`candidate-${index}`} text={problem} />}
    </div>
  )
}

/** All of them make the same: once one is chosen, the others are of its kind. */
function optionsFor(models: readonly CatalogueModel[], candidates: readonly Candidate[]) {
  const chosen = models.find(({ id }) => id === candidates.find(({ model }) => model)?.model)
  const isOffered = ({ kind, state }: CatalogueModel) =>
    routed.includes(kind) &&
    state !== 'disabled' &&
    state !== 'retired' &&
    (!chosen || mediumOf(chosen.kind) === mediumOf(kind))
  return demosLast(models.filter(isOffered)).map((model) => ({
    ...modelOption(model),
    ...(model.state === 'no-key' ? { note: 'needs a key' } : {}),
  }))
}
