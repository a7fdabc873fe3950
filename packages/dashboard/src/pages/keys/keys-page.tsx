import { KeyRound, Plus, SearchX } from 'lucide-react'
import { useState } from 'react'
import { useAccount } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, QueryView } from '../../ui/states.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { isFiltered, KeyFilters, noFilter } from './key-filters.tsx'
import { type KeyAction, KeyRow } from './key-row.tsx'
import type { Key } from './read-key-form.ts'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'
import { useKeys } from './use-keys.ts'

type Open = { readonly action: 'create' } | { readonly action: KeyAction; readonly key: Key }

export function KeysPage() {
  const { role } = useAccount()
  const [filter, setFilter] = useState(noFilter)
  const [open, setOpen] = useState<Open | null>(null)
  const { query, shown } = useKeys(filter)
  const close = () => setOpen(null)
  const create = (
    <Button tone="primary" onClick={() => setOpen({ action: 'create' })}>
      <Plus aria-hidden="true" className="size-4" />
      Create key
    </Button>
  )
  const isEmpty = query.data?.length === 0 && !isFiltered(filter)
  return (
    <Page
      title="Keys"
      description={
        role === 'owner'
          ? 'What your applications identify themselves with. A revoked key is refused at once, everywhere.'
          : 'Keys of the team. You can change and revoke those that you have made.'
      }
      actions={isEmpty ? undefined : create}
    >
      {!isEmpty && <KeyFilters filter={filter} onChange={setFilter} />}
      <Card isFlush>
        <QueryView query={query}>
          {() =>
            shown.length > 0 ? (
              <ul aria-label="Keys" className="divide-y divide-line">
                {shown.map((key) => (
                  <KeyRow
                    key={key.id}
                    listed={key}
                    now={new Date()}
                    onAction={(action, of) => setOpen({ action, key: of })}
                  />
                ))}
              </ul>
            ) : isFiltered(filter) ? (
              <Empty icon={SearchX} title="No key is like that">
                {query.isFetching ? 'Still looking …' : 'Change the filter, or clear it to see every key.'}
              </Empty>
            ) : (
              <Empty icon={KeyRound} title="No keys yet" action={create}>
                Create one, and call models with the SDK that you already use.
              </Empty>
            )
          }
        </QueryView>
      </Card>
      {query.hasNextPage && filter.text.trim() === '' && (
        <div className="text-center">
          <Button onClick={() => void query.fetchNextPage()} isBusy={query.isFetchingNextPage}>
            Show more keys
          </Button>
        </div>
      )}
      {open?.action === 'create' && <CreateKeyDialog onClose={close} />}
      {open?.action === 'edit' && <EditKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'rotate' && <RotateKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'revoke' && <RevokeKeyDialog target={open.key} onClose={close} />}
    </Page>
  )
}
