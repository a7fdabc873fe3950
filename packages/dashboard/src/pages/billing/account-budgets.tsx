import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call, type Input } from '../../api/call.ts'
import { read, refresh } from '../../api/queries.ts'
import { BudgetRows } from '../../budgets/budget-rows.tsx'
import { usePeople } from '../../budgets/people.ts'
import { readBudgetRows } from '../../budgets/read-budget-rows.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

type Budgets = Answer<'getBudgets'>['budgets']

/** The budgets of the account and its members besides the monthly one. */
export function AccountBudgets() {
  const query = useQuery(read('getBudgets'))
  const team = useQuery(read('getTeam'))
  return (
    <QueryView query={query} lines={2}>
      {({ budgets }) => (
        <div className="px-5 pb-5">
          {/* A choice that does not know the people yet would show each as gone. */}
          {!team.isPending && <BudgetsForm budgets={budgets} />}
        </div>
      )}
    </QueryView>
  )
}

function BudgetsForm({ budgets }: { readonly budgets: Budgets }) {
  const showToast = useToast()
  const people = usePeople()
  // What the rows began with: they change elsewhere too, but nothing that was typed is lost.
  const [seen, setSeen] = useState(budgets)
  const [isTyped, setTyped] = useState(false)
  if (!isTyped && termsOf(seen) !== termsOf(budgets)) setSeen(budgets)
  // Somebody alone needs no choice of a person.
  const isTeam = people.length > 1 || budgets.some(({ member_id: id }) => id !== null)
  return (
    <Form
      read={readForm}
      submit={async (body) => {
        await call('changeBudgets', { body })
        setTyped(false)
        await refresh('getBudgets', 'getUsageRefusals')
        showToast('Budgets saved.')
      }}
    >
      {(isBusy) => (
        <>
          <fieldset name="budgets" onInput={() => setTyped(true)}>
            <legend className="sr-only">Budgets</legend>
            <BudgetRows
              key={termsOf(seen)}
              present={seen}
              people={isTeam ? [['', 'All keys'], ...people] : []}
              onChange={() => setTyped(true)}
            />
          </fieldset>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Save more budgets
          </Button>
        </>
      )}
    </Form>
  )
}

/** What the owner chose of budgets, not what is used of them. */
const termsOf = (budgets: Budgets): string => JSON.stringify(budgets.map(({ use: _, ...terms }) => terms))

function readForm(data: FormData): Reading<Input<'changeBudgets'>['body']> {
  const { budgets, problems } = readBudgetRows(data)
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    values: { budgets: budgets.map((one) => ({ ...one, of: one.member_id === null ? 'account' : 'member' })) }
  }
}
