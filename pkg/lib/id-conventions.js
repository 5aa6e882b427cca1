/** What a store of ids alone has to be told about names. */
export class IdConventions {
  identityPartsSeparator = "/";
  disableTopologyUpdates = false;

  freeze() {
    Object.freeze(this);
  }
}
