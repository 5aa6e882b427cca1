// What `groupBy` of a query groups by.

/** What documents are grouped by, if it is not simply a field. */
export class GroupBy {
  declare readonly field: string;
  declare readonly method: "None" | "Array";

  private constructor(field: string, method: "None" | "Array") {
    this.field = field;
    this.method = method;
  }

  static field(name: string): GroupBy {
    return new GroupBy(name, "None");
  }

  /** By a whole list, not by each of its items. */
  static array(name: string): GroupBy {
    return new GroupBy(name, "Array");
  }
}

/** A field of groups, and its name in results. A plain object with these members will do. */
export class GroupByField {
  declare fieldName: string;
  declare projectedName?: string | undefined;

  constructor(fieldName?: string, projectedName?: string) {
    this.fieldName = fieldName as string;
    this.projectedName = projectedName;
  }
}
