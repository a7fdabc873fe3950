import { CheckField } from './fields.tsx'

interface ModelChecksProps {
  readonly name: string
  readonly offered: readonly string[]
  readonly chosen: readonly string[] | null
  /** The id of the element that shows the problem of the choice. */
  readonly problemId: string | undefined
}

/** A choice of some models. */
export function ModelChecks({ name, offered, chosen, problemId }: ModelChecksProps) {
  return (
    <div className="mt-1 grid max-h-52 gap-x-4 overflow-y-auto rounded-lg border border-line bg-canvas px-3 py-2 font-mono text-[0.8125rem] sm:grid-cols-2">
      {withChosen(offered, chosen).map((model) => (
        <CheckField
          key={model}
          name={name}
          label={model}
          value={model}
          defaultChecked={chosen?.includes(model) ?? false}
          problemId={problemId}
        />
      ))}
    </div>
  )
}

/** The models to choose from: one that was chosen earlier may not be in the plan any more. */
export const withChosen = (offered: readonly string[], chosen: readonly string[] | null): readonly string[] => [
  ...offered,
  ...(chosen ?? []).filter((model) => !offered.includes(model))
]
