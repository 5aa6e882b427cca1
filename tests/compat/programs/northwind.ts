// The documents that every program finds in its database, and classes for them. The shape is that of the sample data in
// RavenDB's documentation; the content is our own.

export class Company {
  id?: string;
  Name = "";
  Contact: { Name: string; Title: string } = { Name: "", Title: "" };
  Address: Address = { City: "", Country: "" };
  Phone = "";
}

export class Employee {
  id?: string;
  FirstName = "";
  LastName = "";
  Title = "";
  ReportsTo: string | null = null;
  Address: Address = { City: "", Country: "" };
  Birthday: Date | null = null;
  Territories: string[] = [];
  Notes: string[] = [];
}

export class Product {
  id?: string;
  Name = "";
  Category = "";
  PricePerUnit = 0;
  UnitsInStock = 0;
  Discontinued = false;
}

export class Order {
  id?: string;
  Company = "";
  Employee = "";
  OrderedAt: Date | null = null;
  ShipTo: Address = { City: "", Country: "" };
  Freight = 0;
  Lines: OrderLine[] = [];
}

export interface OrderLine {
  Product: string;
  ProductName: string;
  PricePerUnit: number;
  Quantity: number;
  Discount: number;
}

export interface Address {
  City: string;
  Country: string;
}

type Row = [collection: string, id: string, fields: object];

const line = (product: number, PricePerUnit: number, Quantity: number, Discount = 0): OrderLine => ({
  Product: `products/${product}-A`,
  ProductName: PRODUCTS[product - 1][0] as string,
  PricePerUnit,
  Quantity,
  Discount,
});

const PRODUCTS: [string, number, number, number, boolean][] = [
  ["Rye Bread", 1, 3.5, 40, false],
  ["Oat Biscuits", 1, 2.25, 120, false],
  ["Goat Cheese", 2, 8, 15, false],
  ["Smoked Cheese", 2, 11.5, 0, true],
  ["Green Tea", 3, 6, 80, false],
  ["Black Tea", 3, 5, 60, false],
];

const ROWS: Row[] = [
  ["Categories", "categories/1-A", { Name: "Bakery" }],
  ["Categories", "categories/2-A", { Name: "Dairy" }],
  ["Categories", "categories/3-A", { Name: "Beverages" }],
  ...PRODUCTS.map(
    ([Name, category, PricePerUnit, UnitsInStock, Discontinued], at): Row => [
      "Products",
      `products/${at + 1}-A`,
      { Name, Category: `categories/${category}-A`, PricePerUnit, UnitsInStock, Discontinued },
    ],
  ),
  [
    "Companies",
    "companies/1-A",
    {
      Name: "Harbour Foods",
      Contact: { Name: "Ida Berg", Title: "Owner" },
      Address: { City: "Bergen", Country: "Norway" },
      Phone: "100 200",
    },
  ],
  [
    "Companies",
    "companies/2-A",
    {
      Name: "Alpine Market",
      Contact: { Name: "Jon Frei", Title: "Buyer" },
      Address: { City: "Bern", Country: "Switzerland" },
      Phone: "300 400",
    },
  ],
  [
    "Companies",
    "companies/3-A",
    {
      Name: "North Star",
      Contact: { Name: "Eva Lund", Title: "Owner" },
      Address: { City: "Oslo", Country: "Norway" },
      Phone: "500 600",
    },
  ],
  [
    "Employees",
    "employees/1-A",
    {
      FirstName: "Robert",
      LastName: "Stone",
      Title: "Sales Manager",
      ReportsTo: null,
      Address: { City: "London", Country: "UK" },
      Birthday: "1970-05-02T00:00:00.0000000",
      Territories: ["North", "West"],
      Notes: ["Speaks French and German", "Joined the company early"],
    },
  ],
  [
    "Employees",
    "employees/2-A",
    {
      FirstName: "Anne",
      LastName: "Hill",
      Title: "Sales Representative",
      ReportsTo: "employees/1-A",
      Address: { City: "London", Country: "UK" },
      Birthday: "1985-11-20T00:00:00.0000000",
      Territories: ["North"],
      Notes: ["Studied in Paris", "Speaks French"],
    },
  ],
  [
    "Employees",
    "employees/3-A",
    {
      FirstName: "Laura",
      LastName: "Moss",
      Title: "Sales Representative",
      ReportsTo: "employees/1-A",
      Address: { City: "Seattle", Country: "USA" },
      Birthday: "1991-01-09T00:00:00.0000000",
      Territories: ["West", "South"],
      Notes: ["Has a university degree"],
    },
  ],
  [
    "Employees",
    "employees/4-A",
    {
      FirstName: "Robert",
      LastName: "Frost",
      Title: "Accountant",
      ReportsTo: "employees/1-A",
      Address: { City: "Tacoma", Country: "USA" },
      Birthday: "1964-07-30T00:00:00.0000000",
      Territories: [],
      Notes: ["Keeps the books", "Speaks German"],
    },
  ],
  ...(
    [
      [1, 2, "2024-01-15", "Bergen", "Norway", 12.5, [line(1, 3.5, 10), line(3, 8, 2)]],
      [1, 3, "2024-02-03", "Bergen", "Norway", 30, [line(5, 6, 20, 0.1)]],
      [2, 2, "2024-02-20", "Bern", "Switzerland", 7, [line(2, 2.25, 4), line(6, 5, 6), line(4, 11.5, 1)]],
      [3, 4, "2024-03-11", "Oslo", "Norway", 55.25, [line(3, 8, 12)]],
      [2, 3, "2024-04-01", "Bern", "Switzerland", 7, [line(1, 3.5, 1)]],
    ] as [number, number, string, string, string, number, OrderLine[]][]
  ).map(
    ([company, employee, day, City, Country, Freight, Lines], at): Row => [
      "Orders",
      `orders/${at + 1}-A`,
      {
        Company: `companies/${company}-A`,
        Employee: `employees/${employee}-A`,
        OrderedAt: `${day}T00:00:00.0000000`,
        ShipTo: { City, Country },
        Freight,
        Lines,
      },
    ],
  ),
];

/** Where the ids that clients make begin: behind those of these documents. */
const COUNTERS = ["categories", "companies", "employees", "orders", "products"].map(
  (tag): Row => ["@hilo", `Raven/Hilo/${tag}`, { Max: 32 }],
);

/** The body of `POST /bulk_docs` that writes them. */
export const SEED = {
  Commands: [...ROWS, ...COUNTERS].map(([collection, Id, fields]) => ({
    Type: "PUT",
    Id,
    ChangeVector: null,
    Document: { ...fields, "@metadata": { "@collection": collection } },
  })),
};
