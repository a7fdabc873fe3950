import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useAccount } from '../../layout/caller.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { QueryView } from '../../ui/states.tsx'
import { type KeyAction, keyColumns } from './key-cells.tsx'
import { isFiltered, KeyFilters, noFilter } from './key-filters.tsx'
import { KeyTable } from './key-table.tsx'
import { NoKeys } from './no-keys.tsx'
import { noKeysReason } from './no-keys-reason.ts'
import type { Key } from './read-key-form.ts'
import { type KeyOrder, useHasRevoked, useKeys } from './use-keys.ts'

const CreateKeyDialog = lazyDialog(() => import('./create-key-dialog.tsx'), 'CreateKeyDialog')
const EditKeyDialog = lazyDialog(() => import('./edit-key-dialog.tsx'), 'EditKeyDialog')
const EndOldValueDialog = lazyDialog(() => import('./end-old-value-dialog.tsx'), 'EndOldValueDialog')
const RevokeKeyDialog = lazyDialog(() => import('./revoke-key-dialog.tsx'), 'RevokeKeyDialog')
const RotateKeyDialog = lazyDialog(() => import('./rotate-key-dialog.tsx'), 'RotateKeyDialog')

type Open = { readonly action: 'create' } | { readonly action: KeyAction; readonly key: Key }

/** The address can name a text to search for, and open the dialog that creates a key. */
export function KeysPage() {
  const { q = '', create } = useSearch({ from: '/dashboard/keys' })
  return <Keys key={`${q} ${create}`} text={q} isCreating={create === '1'} />
}

function Keys({ text, isCreating }: { readonly text: string; readonly isCreating: boolean }) {
  const { role } = useAccount()
  const navigate = useNavigate({ from: '/dashboard/keys' })
  const [filter, setFilter] = useState({ ...noFilter, text })
  const [open, setOpen] = useState<Open | null>(isCreating ? { action: 'create' } : null)
  const [order, setOrder] = useState<KeyOrder>('newest')
  const { query, isSearching } = useKeys(filter, order)
  const columns = useMemo(() => keyColumns((action, key) => setOpen({ action, key })), [])
  const isEmpty = query.data?.length === 0 && !isFiltered(filter)
  const hasRevoked = useHasRevoked(isEmpty)
  const close = () => (isCreating ? void navigate({ search: {}, replace: true }) : setOpen(null))
  const create = (
    <Button tone="primary" onClick={() => setOpen({ action: 'create' })}>
      <Plus aria-hidden="true" className="size-4" />
      Create key
    </Button>
  )
  return (
    <Page
      {...pageHeads['/dashboard/keys']}
      isWaiting={query.isPending || (isEmpty && hasRevoked === undefined)}
      actions={isEmpty ? undefined : create}
    >
      {(!isEmpty || hasRevoked === true) && <KeyFilters filter={filter} onChange={setFilter} />}
      <Card isFlush className={query.isPlaceholderData ? 'opacity-60' : ''}>
        <QueryView query={query} lines={10}>
          {(keys) =>
            keys.length > 0 ? (
              <KeyTable columns={columns} rows={keys} order={order} onOrder={setOrder} />
            ) : (
              <NoKeys
                create={create}
                why={noKeysReason({
                  isFiltered: isFiltered(filter),
                  isSearching,
                  hasRevoked
                })}
              />
            )
          }
        </QueryView>
      </Card>
      {!isSearching && <LoadMore query={query} text="Show more keys" />}
      {role !== 'owner' && (
        <p className="text-sm text-ink-soft">These are the keys of your team. You can change those that you created.</p>
      )}
      {open?.action === 'create' && <CreateKeyDialog onClose={close} />}
      {open?.action === 'edit' && <EditKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'rotate' && <RotateKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'end-old-value' && <EndOldValueDialog target={open.key} onClose={close} />}
      {open?.action === 'revoke' && <RevokeKeyDialog target={open.key} onClose={close} />}
    </Page>
  )
}
