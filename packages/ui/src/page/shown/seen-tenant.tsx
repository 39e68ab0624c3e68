import { useContext } from 'preact/hooks';
import { AccessContext } from '../reading/access-context.ts';
import { TokenForm } from './token-form.tsx';

/** Whose runs are seen with the token that was given, and how others are: what is not there may be there for another tenant. Nothing where none was given. */
export function SeenTenant() {
  const { access, give } = useContext(AccessContext);
  const { token, tenant } = access;
  if (token === '') return null;
  return (
    <>
      <p>
        Only runs of {tenant === '' ? "the token's own tenant" : <>the tenant {<strong>{tenant}</strong>}</>} are seen
        with the token that was given here. A run of another tenant is seen with a token of that tenant, or by naming it
        where the token may read several.
      </p>
      <TokenForm title="Look with another token" given={access} onGiven={give} />
    </>
  );
}
