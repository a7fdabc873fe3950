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
import { KeyFilters } from './key-filters.tsx'
import { KeyTable } from './key-table.tsx'
import { isFiltered, type KeysSearch, readOrder } from './keys-search.ts'
import { NoKeys } from './no-keys.tsx'
import { noKeysReason } from './no-keys-reason.ts'
import { OverQuotaNote } from './over-quota-note.tsx'
import type { Key } from './read-key-form.ts'
import { useHasRevoked, useKeys } from './use-keys.ts'

const CreateKeyDialog = lazyDialog(() => import('./create-key-dialog.tsx'), 'CreateKeyDialog')
const EditKeyDialog = lazyDialog(() => import('./edit-key-dialog.tsx'), 'EditKeyDialog')
const EndOldValueDialog = lazyDialog(() => import('./end-old-value-dialog.tsx'), 'EndOldValueDialog')
const PauseKeyDialog = lazyDialog(() => import('./pause-key-dialog.tsx'), 'PauseKeyDialog')
const RevokeKeyDialog = lazyDialog(() => import('./revoke-key-dialog.tsx'), 'RevokeKeyDialog')
const RotateKeyDialog = lazyDialog(() => import('./rotate-key-dialog.tsx'), 'RotateKeyDialog')

type Open = { readonly action: 'create' } | { readonly action: KeyAction; readonly key: Key }

/** The address names what is shown, and can open the dialog that creates a key. */
export function KeysPage() {
  const { create: asksToCreate, ...search } = useSearch({ from: '/dashboard/keys' })
  const { role } = useAccount()
  const navigate = useNavigate({ from: '/dashboard/keys' })
  const show = (changed: KeysSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  const [chosen, setChosen] = useState<Open | null>(null)
  const open: Open | null = asksToCreate === '1' ? { action: 'create' } : chosen
  const query = useKeys(search)
  const columns = useMemo(() => keyColumns((action, key) => setChosen({ action, key })), [])
  const isEmpty = query.data?.length === 0 && !isFiltered(search)
  const hasRevoked = useHasRevoked(isEmpty)
  const close = () => {
    setChosen(null)
    if (asksToCreate !== undefined) void navigate({ search, replace: true })
  }
  const create = (
    <Button tone="primary" onClick={() => setChosen({ action: 'create' })}>
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
      <OverQuotaNote />
      {(!isEmpty || hasRevoked === true) && <KeyFilters search={search} onChange={show} />}
      <Card isFlush className={query.isPlaceholderData ? 'opacity-60' : ''}>
        <QueryView query={query} lines={10}>
          {(keys) =>
            keys.length > 0 ? (
              <KeyTable columns={columns} rows={keys} order={readOrder(search)} onOrder={(sort) => show({ sort })} />
            ) : (
              <NoKeys
                create={create}
                why={noKeysReason({
                  isFiltered: isFiltered(search),
                  isSearching: query.isPlaceholderData,
                  hasRevoked
                })}
              />
            )
          }
        </QueryView>
      </Card>
      {!query.isPlaceholderData && <LoadMore query={query} text="Show more keys" />}
      {role !== 'owner' && (
        <p className="text-sm text-ink-soft">These are the keys of your team. You can change those that you created.</p>
      )}
      {open?.action === 'create' && <CreateKeyDialog onClose={close} />}
      {open?.action === 'edit' && <EditKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'rotate' && <RotateKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'end-old-value' && <EndOldValueDialog target={open.key} onClose={close} />}
      {open?.action === 'pause' && <PauseKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'revoke' && <RevokeKeyDialog target={open.key} onClose={close} />}
    </Page>
  )
}
